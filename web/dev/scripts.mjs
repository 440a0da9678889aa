// What the mock's demos say. `say` streams a field in small pieces; `pause`
// is null where a script is laid down at once.

async function say(c, key, field, text, pause, size = 7) {
  for (let i = 0; i < text.length; i += size) {
    c.append(key, field, text.slice(i, i + size));
    if (pause) await pause(18);
  }
}

const report = `The race is in \`Close\`: it reads \`s.conns\` without the lock while \`serve\` still adds to it.

## What happens

1. \`Shutdown\` sets the flag and calls \`Close\`.
2. A connection accepted just before **still registers itself**.
3. \`Close\` has already walked the map, so that connection is never closed.

The smallest change holds the lock over both:

\`\`\`go
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close() // refuses new work, then drains
	}
	return s.listener.Close()
}
\`\`\`

| test | before | after |
|---|---|---|
| \`TestShutdown\` | 3 of 200 fail | 0 of 2,000 fail |
| \`TestDrain\` | passes | passes |

See [the memory model](https://go.dev/ref/mem) for why a flag alone cannot help.`;

const log = Array.from({ length: 60 }, (_, i) => `=== RUN   TestShutdown/${i}\n--- PASS: TestShutdown/${i} (0.0${i % 10}s)`).join('\n') + '\nok  \texample.org/server\t2.713s\n';

export async function everything(c, pause) {
  c.setRunning(true);
  c.user('TestShutdown fails once in a while. Find out why, please, and mend it.\nStart with the tests.');
  let k = c.part('thinking', {}, { type: 'group', group: 'thinking', state: 'open' });
  await say(c, k, 'text', 'The failure is rare, so it is likely an order of events. I should look at how Shutdown and Close share state, then run the test many times under the race detector.', pause);
  c.set(k, { state: 'sealed' });
  c.setRow(k, { state: 'completed' });
  k = c.part('text');
  await say(c, k, 'text', 'I will read the server first and run the test under load beside it.', pause);
  c.set(k, { state: 'sealed' });

  const a = c.part('tool', { id: 'toolu_1', name: 'read_file', executor: 'client', status: 'writing', arguments: '' }, { type: 'batch', state: 'open' });
  await say(c, a, 'arguments', '{"path":"internal/server/server.go","from":40,"to":120}', pause);
  c.set(a, { status: 'called' });
  const b = c.part('tool', { id: 'toolu_2', name: 'bash', executor: 'client', status: 'writing', arguments: '' }, null);
  c.setRow(a, { parts: [a, b] });
  await say(c, b, 'arguments', '{"command":"go test -race -count 200 -run TestShutdown ./internal/server"}', pause);
  c.set(b, { status: 'running' });
  c.set(a, { status: 'ok', state: 'sealed', result: 'func (s *Server) Close() error {\n\tfor c := range s.conns {\n\t\tc.Close()\n\t}\n\treturn s.listener.Close()\n}\n' });
  await say(c, b, 'output', log, pause, 90);
  c.set(b, { status: 'error', state: 'sealed', isError: true, result: 'exit status 1: 3 of 200 runs failed' });

  k = c.part('error', { state: 'sealed', message: 'Overloaded: the service is busy, try again in a moment.', statusCode: 529, code: 'overloaded_error' });
  c.part('system', { state: 'sealed', notice: 'model-changed', text: 'claude-sonnet-4-5 → claude-opus-4-5' });

  const s = c.part('tool', { name: 'grep', executor: 'client', status: 'ok', state: 'sealed', arguments: '{"pattern":"s.conns"}', result: '4 matches' }, { type: 'group', group: 'exploration', state: 'completed' });
  const t = c.part('tool', { name: 'read_file', executor: 'client', status: 'ok', state: 'sealed', arguments: '{"path":"internal/server/conn.go"}', result: 'package server' }, null);
  c.setRow(s, { parts: [s, t] });

  k = c.part('text');
  await say(c, k, 'text', report, pause);
  c.set(k, { state: 'sealed' });
  c.part('source', { state: 'sealed', type: 'url', title: 'The Go Memory Model', url: 'https://go.dev/ref/mem' });
  c.part('opaque', { state: 'sealed', type: 'container_upload', raw: '{"type":"container_upload","file_id":"file_011"}' });
  c.end('complete');

  c.user('Good. Now say what changed since the last release, in full.');
  k = c.part('text');
  await say(c, k, 'text', 'Since the last release the server gained three things that matter to someone who runs it:\n\n- Shutdown waits for open streams and then closes them, rather than the other way ro', pause);
  c.end('length');
}

export async function thinking(c, pause) {
  c.setRunning(true);
  c.user('Is 2,147,483,647 a prime?');
  const k = c.part('thinking', {}, { type: 'group', group: 'thinking', state: 'open' });
  await say(c, k, 'text', 'It is 2^31 − 1, a Mersenne number. Its exponent 31 is prime, which is necessary. Euler showed in 1772 that it is prime. '.repeat(8), pause);
  if (!pause) return;
  c.set(k, { state: 'sealed' });
  c.setRow(k, { state: 'completed' });
  const t = c.part('text');
  await say(c, t, 'text', 'Yes. It is the Mersenne prime 2³¹ − 1.', pause);
  c.end('complete');
}

export async function tools(c, pause) {
  c.setRunning(true);
  c.user('Check the three services.');
  const keys = [];
  for (const name of ['billing', 'search', 'mail']) {
    const k = c.part('tool', { name: 'bash', executor: 'client', status: 'running', arguments: `{"command":"curl -sf https://${name}.example.org/healthz"}` }, keys.length === 0 ? { type: 'batch', state: 'open' } : null);
    keys.push(k);
    if (keys.length > 1) c.setRow(keys[0], { parts: [...keys] });
  }
  await say(c, keys[0], 'output', 'HTTP/2 200\ncontent-type: application/json\n\n{"status":"ok"}\n', pause, 9);
  c.set(keys[0], { status: 'ok', state: 'sealed', result: '{"status":"ok"}' });
  await say(c, keys[1], 'output', 'trying 192.0.2.7 …\ntrying 192.0.2.8 …\n', pause, 5);
  c.set(keys[2], { status: 'asking' });
  c.publish({ op: 'insert', collection: 'permissions', key: 'p1', node: { message: c.message, part: keys[2], what: 'Run curl against mail.example.org', name: 'bash' } });
}

export async function error(c) {
  c.user('Summarise the incident.');
  const k = c.part('text', { text: 'The first alert came at 09:14, when the queue' });
  c.set(k, { state: 'sealed' });
  c.setRow(k, { superseded: true });
  c.part('error', { state: 'sealed', message: 'Overloaded', statusCode: 529, code: 'overloaded_error' });
  c.part('error', { state: 'sealed', message: 'This request would exceed your organization’s rate limit of 80,000 input tokens per minute.', statusCode: 429, code: 'rate_limit_error' });
  c.end('error');
}

export async function cutOff(c) {
  c.user('Tell me the history of shorthand.');
  c.part('text', { text: 'Tiro, a freedman of Cicero, kept a system of some four thousand signs. It outlived Rome by a thousand years, and then' });
  c.end('interrupted');
}

export function many(c, count) {
  c.user(`Show ${count.toLocaleString('en')} parts.`);
  const collection = `parts/${c.message}`;
  const ops = [];
  for (let i = 0; i < count; i++) {
    const key = i % 4 === 3 ? `tool:${i}` : `text:${i}`;
    const node = i % 4 === 3
      ? { kind: 'tool', state: 'sealed', name: 'bash', status: 'ok', executor: 'client', arguments: `{"command":"step ${i}"}`, output: 'done\n'.repeat(i % 9) }
      : { kind: 'text', state: 'sealed', text: `Part **${i}**. ${'A sentence of some length to fill the line. '.repeat(i % 7)}` };
    ops.push({ op: 'insert', collection, key, node });
    ops.push({ op: 'insert', collection: 'rows', key: `r${i}`, node: { type: i % 4 === 3 ? 'batch' : 'part', message: c.message, parts: [key] } });
  }
  c.publish(...ops);
  c.setRunning(true);
  const k = c.part('text');
  let n = 0;
  return setInterval(() => c.append(k, 'text', ++n % 40 === 0 ? '\n\n' : `word${n} `), 20);
}

export function hostile(c) {
  c.user('<img src=x onerror=alert(1)> [a](javascript:alert(1)) \u202egnihton\u202c');
  const bad = ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '[a](javascript:alert(1))', '[a](JaVaScRiPt:alert(1))', '![x](https://evil.example/pixel.png)', '[ok](https://example.org/)', '\u202eright to left override', 'nul \u0000 bell \u0007 esc \u001b[31mred\u001b[0m', '<a href="javascript:alert(1)">x</a>', '<style>*{display:none}</style>', '<svg onload=alert(1)>', '`code \u202e reversed`'];
  c.part('text', { state: 'sealed', text: bad.join('\n\n') });
  c.part('tool', { state: 'sealed', status: 'ok', name: 'ba\u202ehs\u0000<b>', executor: 'client', arguments: bad.join('\n'), output: bad.join('\n'), result: bad.join('\n') }, { type: 'batch' });
  c.part('error', { state: 'sealed', message: bad.join(' '), statusCode: 500 });
  c.part('system', { state: 'sealed', notice: 'notice', text: bad.join(' ') });
  c.part('text', { state: 'sealed', text: 'x'.repeat(5_000_000) });
  c.part('text', { state: 'sealed', text: 'still here' });
  c.part('hologram', { state: 'sealed', depth: 3 });
  c.end('cancelled');
}

/** The ops that insert one turn of a long conversation. */
export function turn(n) {
  const text = `Answer **${n}**. ${'It has a sentence or two. '.repeat(2 + (n % 5))}`;
  return [
    { op: 'insert', collection: 'messages', key: `u${n}`, node: { role: 'user', turn: n, state: 'ended' } },
    { op: 'insert', collection: 'messages', key: `a${n}`, node: { role: 'assistant', turn: n, state: 'ended', reason: 'complete' } },
    { op: 'insert', collection: `parts/u${n}`, key: 'text:0', node: { kind: 'text', state: 'sealed', text: `Question ${n}?` } },
    { op: 'insert', collection: `parts/a${n}`, key: 'text:0', node: { kind: 'text', state: 'sealed', text } },
    { op: 'insert', collection: 'rows', key: `ru${n}`, node: { type: 'message', message: `u${n}`, parts: ['text:0'] } },
    { op: 'insert', collection: 'rows', key: `ra${n}`, node: { type: 'part', message: `a${n}`, parts: ['text:0'] } },
  ];
}

export function paged(c, first, last) {
  c.first = first;
  c.turns = last;
  for (let n = first; n <= last; n++) c.publish(...turn(n));
}

/** Every field five million characters long, in every shape that has hurt a page before. */
export function huge(c) {
  const size = 5_000_000;
  const fill = (piece) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  c.user(fill('a question '));
  c.part('thinking', { state: 'sealed', text: fill('thought ') }, { type: 'group', group: 'thinking', state: 'completed' });
  for (const text of [fill('x'), fill('word '), fill('- item of a list\n'), fill('a line of a paragraph\n'), fill('> quote\n'), fill('| a | b |\n'), '```go\n' + fill('x := 1\n'), fill('**a *b '), fill('[a](b '), fill('\u202e'), fill('para\n\n')]) {
    c.part('text', { state: 'sealed', text });
  }
  c.part('tool', { state: 'sealed', status: 'ok', name: fill('n'), executor: 'client', arguments: fill('{"a":'), output: fill('o'), result: fill('line\n') }, { type: 'batch' });
  c.part('error', { state: 'sealed', message: fill('e'), statusCode: 500, code: fill('c') });
  c.part('system', { state: 'sealed', notice: 'notice', text: fill('s') });
  c.part('source', { state: 'sealed', title: fill('t'), url: `https://example.org/${fill('u')}` });
  c.part('hologram', { state: 'sealed', raw: fill('h') });
  c.end('complete');
}
