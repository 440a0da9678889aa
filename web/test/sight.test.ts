import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Connector, type Connection } from '../src/stream/client';

let visibility: DocumentVisibilityState = 'visible';
let requests: { cursor: string | undefined; open: boolean; stream: ReadableStreamDefaultController<Uint8Array> }[] = [];
let states: Connection[] = [];
let heard: string[] = [];
let cursor = '';
let connector: Connector;

/** A server whose streams stay open until the other side ends them. */
const get = (async (_: string, init: RequestInit) => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      const request = { cursor: (init.headers as Record<string, string>)['Last-Event-ID'], open: true, stream };
      requests.push(request);
      init.signal!.addEventListener('abort', () => {
        request.open = false;
        stream.error(new Error('aborted'));
      });
      stream.enqueue(new TextEncoder().encode(': hello\n\n'));
    },
  });
  return new Response(body);
}) as typeof fetch;

function connect(): void {
  connector = new Connector({
    url: () => '/stream',
    headers: () => ({ ...(cursor && { 'Last-Event-ID': cursor }) }),
    event: ({ data, id }) => {
      heard.push(data);
      cursor = id;
    },
    state: (state) => states.push(state),
    fetch: get,
  });
}

const pass = (milliseconds = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
const open = (): number => requests.filter((request) => request.open).length;

async function say(text: string, id: string): Promise<void> {
  requests.at(-1)!.stream.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${text}\n\n`));
  await pass();
}

async function show(state: DocumentVisibilityState): Promise<void> {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
  await pass();
}

async function turn(event: 'pagehide' | 'pageshow'): Promise<void> {
  dispatchEvent(new Event(event));
  await pass();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
  [visibility, requests, states, heard, cursor] = ['visible', [], [], [], ''];
});

afterEach(() => {
  connector.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a stream in a page', () => {
  test('ends at once with a page that is left, and is taken up when it is shown again', async () => {
    connect();
    await pass();
    await say('one', 'b:1');
    await turn('pagehide');
    await show('hidden');
    expect([open(), states]).toEqual([0, ['live', 'paused']]);
    await pass(600_000);
    expect(requests.length).toBe(1);
    visibility = 'visible';
    await turn('pageshow');
    expect([open(), requests.at(-1)!.cursor, states]).toEqual([1, 'b:1', ['live', 'paused', 'live']]);
    await say('two', 'b:2');
    expect(heard).toEqual(['one', 'two']);
  });

  test('outlives a glance elsewhere, not a stay', async () => {
    connect();
    await pass();
    await show('hidden');
    await pass(1_500);
    await show('visible');
    await pass(10_000);
    expect([requests.length, states]).toEqual([1, ['live']]);
    await show('hidden');
    await pass(2_000);
    expect([open(), connector.state]).toEqual([0, 'paused']);
    connector.reconnect();
    await pass(60_000);
    expect(requests.length).toBe(1);
    await show('visible');
    expect([open(), connector.state]).toEqual([1, 'live']);
    expect(states).not.toContain('retrying');
  });

  test('left and shown in one go it is never said to be broken', async () => {
    connect();
    await pass();
    dispatchEvent(new Event('pagehide'));
    dispatchEvent(new Event('pageshow'));
    await pass(100);
    expect([requests.length, open(), states]).toEqual([2, 1, ['live']]);
  });

  test('waits in a tab that begins hidden', async () => {
    visibility = 'hidden';
    connect();
    await pass(60_000);
    expect([requests.length, states]).toEqual([0, []]);
    await show('visible');
    expect([open(), states]).toEqual([1, ['live']]);
  });

  test('of a page that is not seen does not try again', async () => {
    connect();
    await pass();
    requests[0].stream.close();
    await pass();
    await turn('pagehide');
    await pass(60_000);
    expect([requests.length, states]).toEqual([1, ['live', 'retrying', 'paused']]);
  });

  test('stays closed', async () => {
    connect();
    await pass();
    connector.close();
    await turn('pagehide');
    await turn('pageshow');
    expect([requests.length, states]).toEqual([1, ['live', 'closed']]);
  });
});

test('without a document nothing of the kind is done', async () => {
  vi.stubGlobal('document', undefined);
  visibility = 'hidden';
  connect();
  await pass();
  await turn('pagehide');
  await pass(20_000);
  expect([requests.length, open(), states]).toEqual([1, 1, ['live']]);
});

test('a request that waits in the browser is given up and made again', async () => {
  const queued = vi.fn((_: string, init: RequestInit) => new Promise<Response>((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason))));
  connector = new Connector({ url: () => '/stream', event: () => {}, state: (state) => states.push(state), fetch: queued as unknown as typeof fetch });
  await pass(14_000);
  expect([queued.mock.calls.length, states]).toEqual([1, []]);
  await pass(2_000);
  expect([queued.mock.calls.length, states]).toEqual([2, ['retrying']]);
});
