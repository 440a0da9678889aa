import { describe, expect, test } from 'vitest';
import { SSEReader, type SSEvent } from '../src/stream/sse';

const encoder = new TextEncoder();

function read(...pieces: Uint8Array[]): SSEvent[] {
  const events: SSEvent[] = [];
  const reader = new SSEReader((event) => events.push(event));
  for (const piece of pieces) reader.push(piece);
  return events;
}

const fixture = encoder.encode(
  '\ufeff: hello\n\nid: b:1\ndata: {"a":"é🙂\u2028"}\n\r\nevent: status\r\ndata:one\r\ndata: two\r\n\r\n' +
    'id\ndata\n\nid: x\0y\rdata:  lead\r\revent: only\n\nretry: 20\ndata: last\n\ndata: unfinished',
);

describe('C92 an event stream', () => {
  const whole = read(fixture);

  test('is read by the rules', () => {
    expect(whole).toEqual([
      { event: 'message', data: '{"a":"é🙂\u2028"}', id: 'b:1', ownId: true },
      { event: 'status', data: 'one\ntwo', id: 'b:1', ownId: false },
      { event: 'message', data: '', id: '', ownId: true },
      { event: 'message', data: ' lead', id: '', ownId: false },
      { event: 'message', data: 'last', id: '', ownId: false },
    ]);
  });

  test('is the same cut at every byte', () => {
    for (let i = 0; i <= fixture.length; i++) expect(read(fixture.slice(0, i), fixture.slice(i))).toEqual(whole);
    expect(read(...Array.from(fixture, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test('hears of the retry delay', () => {
    const delays: number[] = [];
    const reader = new SSEReader(() => {}, (delay) => delays.push(delay));
    reader.push(encoder.encode('retry: 20\n\nretry: x\n\nretry: -1\n\n'));
    expect(delays).toEqual([20]);
  });

  test('C93 one large event in small pieces comes whole', () => {
    const body = 'x'.repeat(1 << 20);
    const bytes = encoder.encode(`data: ${body}\n\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 256) }, (_, i) => bytes.subarray(i * 256, (i + 1) * 256));
    expect(read(...pieces)[0].data).toBe(body);
  });
});
