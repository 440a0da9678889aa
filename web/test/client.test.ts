import { afterEach, describe, expect, test, vi } from 'vitest';
import { View, type Op } from '../src/stream/client';

const encoder = new TextEncoder();

/** A server made of the answers it will give, one per request. */
class Server {
  requests: { url: string; headers: Record<string, string> }[] = [];
  #answers: (() => Response)[] = [];
  #open: ReadableStreamDefaultController<Uint8Array> | undefined;

  fetch = (async (url: string, init: RequestInit) => {
    this.requests.push({ url: String(url), headers: init.headers as Record<string, string> });
    const answer = this.#answers.shift();
    if (!answer) return new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    init.signal?.addEventListener('abort', () => this.#open?.error(new Error('aborted')));
    return answer();
  }) as typeof fetch;

  /** The next request is answered with these pieces and stays open, or ends if `end`. */
  stream(pieces: (string | Uint8Array)[], end = false): this {
    this.#answers.push(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => {
              this.#open = controller;
              for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
              if (end) controller.close();
            },
          }),
        ),
    );
    return this;
  }

  answer(status: number, body: unknown = {}): this {
    this.#answers.push(() => new Response(JSON.stringify(body), { status }));
    return this;
  }

  send(text: string): void {
    this.#open!.enqueue(encoder.encode(text));
  }
}

const insert = (key: string, text = ''): Op => ({ op: 'insert', collection: 'parts/m', key, node: { kind: 'text', text } });
const append = (key: string, at: number, text: string): Op => ({ op: 'append', collection: 'parts/m', key, field: 'text', at, len: text.length, text });
const event = (id: string, body: object): string => `id: ${id}\ndata: ${JSON.stringify(body)}\n\n`;
const snapshot = (id: string, ops: Op[], window = { first: 1, older: false }): string => event(id, { snapshot: true, window, ops });

let view: View;
afterEach(() => view.close());

function open(server: Server): View {
  return (view = new View('c 1', { fetch: server.fetch, schedule: (run) => queueMicrotask(run) }));
}

const text = (key = 'text:0'): string => String(view.collection('parts/m').get(key)?.node.text);
const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 3000, interval: 2 });

describe('a view', () => {
  test('takes a snapshot, then goes on, and knows its cursor', async () => {
    const server = new Server().stream([snapshot('b:1', [insert('text:0', 'he')])]);
    open(server);
    await until(() => expect(text()).toBe('he'));
    server.send(event('b:2', { ops: [append('text:0', 2, 'llo')] }));
    await until(() => expect(text()).toBe('hello'));
    expect(view.cursor).toBe('b:2');
    expect(server.requests[0].url).toBe('/v1/conversations/c%201/view?window=20');
    expect(server.requests[0].headers['Last-Event-ID']).toBeUndefined();
  });

  test('resumes from its cursor and never applies half an event', async () => {
    const whole = event('b:2', { ops: [append('text:0', 2, 'llo 🙂 é')] });
    const bytes = encoder.encode(whole);
    for (const cut of [1, 5, Math.floor(bytes.length / 2), bytes.length - 8, bytes.length - 1]) {
      const server = new Server().stream([snapshot('b:1', [insert('text:0', 'he')]), bytes.slice(0, cut)], true).stream([whole]);
      open(server);
      await until(() => expect(text()).toBe('hello 🙂 é'));
      expect(server.requests[1].headers['Last-Event-ID']).toBe('b:1');
      expect(view.stats.mismatches).toBe(0);
      view.close();
    }
  });

  test('is the same however its bytes are cut, and wherever they break off', async () => {
    const all = encoder.encode(snapshot('b:1', [insert('text:0', 'é')]) + event('b:2', { ops: [append('text:0', 1, '🙂')] }) + 'event: status\ndata: {"running":true}\n\n');
    for (let cut = 0; cut <= all.length; cut += 3) {
      const server = new Server().stream([all.slice(0, cut), all.slice(cut)]);
      open(server);
      await until(() => expect(view.running).toBe(true));
      expect(text()).toBe('é🙂');
      view.close();
    }
  });

  test('reads the snapshot again when a field is not as long as the server thinks', async () => {
    const server = new Server()
      .stream([snapshot('b:1', [insert('text:0', 'he')]), event('b:2', { ops: [append('text:0', 3, 'x')] })])
      .stream([snapshot('b:3', [insert('text:0', 'whole')])]);
    open(server);
    await until(() => expect(text()).toBe('whole'));
    expect(server.requests[1].headers['Last-Event-ID']).toBeUndefined();
    expect(view.stats).toMatchObject({ mismatches: 1, resyncs: 1, snapshots: 2 });
  });

  test('what is no publication is answered the same way', async () => {
    const server = new Server().stream([snapshot('b:1', []), 'id: b:2\ndata: {"ops":\n\n']).stream([snapshot('b:3', [insert('text:0', 'ok')])]);
    open(server);
    await until(() => expect(text()).toBe('ok'));
  });

  test('waits for the snapshot that follows a resync', async () => {
    const server = new Server().stream([snapshot('b:1', [insert('text:0', 'a')]), event('b:2', { ops: [{ op: 'resync' }] })]);
    open(server);
    await until(() => expect(view.stats.events).toBe(2));
    expect([text(), view.ready]).toEqual(['a', false]);
    server.send(event('b:2', { ops: [append('text:0', 9, 'lost')] }));
    server.send(snapshot('x:7', [insert('text:0', 'other')]));
    await until(() => expect(text()).toBe('other'));
    expect([view.cursor, view.ready, server.requests.length]).toEqual(['x:7', true, 1]);
  });

  test('says what stands in the way', async () => {
    open(new Server().answer(401));
    await until(() => expect(view.connection).toBe('signed-out'));
    view.close();
    open(new Server().answer(404));
    await until(() => expect(view.connection).toBe('missing'));
    view.close();
    open(new Server().answer(503).stream([snapshot('b:1', [])]));
    await until(() => expect(view.connection).toBe('live'));
  });

  test('tells its listeners once per frame, after the slots', async () => {
    const frames: (() => void)[] = [];
    const server = new Server().stream([snapshot('b:1', [insert('text:0')])]);
    view = new View('c', { fetch: server.fetch, schedule: (run) => frames.push(run) });
    await until(() => expect(text()).toBe(''));
    frames.splice(0).forEach((run) => run());
    const told: string[] = [];
    view.collection('parts/m').get('text:0')!.subscribe(() => told.push(`slot ${text()}`));
    view.subscribe(({ slots }) => told.push(`view ${slots.size}`));
    for (let i = 0; i < 20; i++) server.send(event(`b:${i + 2}`, { ops: [append('text:0', i, 'x')] }));
    await until(() => expect(view.cursor).toBe('b:21'));
    expect(told).toEqual([]);
    frames.splice(0).forEach((run) => run());
    expect(told).toEqual([`slot ${'x'.repeat(20)}`, 'view 1']);
  });

  test('puts older turns before what it holds', async () => {
    const server = new Server().stream([snapshot('b:9', [insert('text:5', 'new')], { first: 3, older: true })]);
    open(server);
    await until(() => expect(view.window).toEqual({ first: 3, older: true }));
    server.answer(200, { ops: [insert('text:3', 'old')], window: { first: 2, older: true } });
    expect(await view.loadEarlier()).toBe(true);
    expect(view.collection('parts/m').slots.map(({ key }) => key)).toEqual(['text:3', 'text:5']);
    expect(server.requests[1].url).toBe('/v1/conversations/c%201/pages/2');
    server.answer(409);
    expect(await view.loadEarlier()).toBe(false);
    expect(view.window.older).toBe(true);
    server.answer(404);
    expect(await view.loadEarlier()).toBe(false);
    expect(view.window.older).toBe(false);
  });
});

test('G04 payloads come through byte for byte', async () => {
  const payloads = ['a\nb', 'x\n', '\n', 'a\rb', 'a\r\nb', '', ' two leading', 'tail  ', 'a\u2028b\u2029c\u0085d\u000be\ff', 'ok\nevent: error\ndata: forged', 'ok\nid: 999\nretry: 1', ': not a comment', 'data: nested', '🙂\u0000z'];
  const server = new Server();
  let at = 0;
  let bytes = snapshot('b:0', [insert('text:0')]);
  payloads.forEach((payload, i) => {
    bytes += event(`b:${i + 1}`, { ops: [append('text:0', at, payload)] });
    at += payload.length;
  });
  server.stream(Array.from(encoder.encode(bytes), (byte) => Uint8Array.of(byte)));
  open(server);
  await until(() => expect(view.cursor).toBe('b:14'));
  expect(text()).toBe(payloads.join(''));
  expect(view.stats).toMatchObject({ events: 15, mismatches: 0 });
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text()));
  expect(Buffer.from(digest).toString('hex')).toBe('bb2bdc7e08e8801e65cf7e48d5d8276c0dc4cd9c9967ece382fb628a4a093652');
});
