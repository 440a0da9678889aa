// Neutral workload generator shared by every JS peer.  The Go side (../../works.go) makes the same events.
// Event: {k:'start',p,kind,id,name} {k:'delta',p,d} {k:'end',p} {k:'result',p,out}; p = part index in the message.
let seed = 12345;
const rnd = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff);
const AL = 'abcdefghijklmnopqrstuvwxyz    ';
export const DELTAS = Array.from({ length: 256 }, () => { let s = ''; for (let i = 0; i < 4; i++) s += AL[rnd() % 30]; return s; });
export const text = (n) => { let s = ''; for (let i = 0; s.length < n; i++) s += DELTAS[(i * 7 + n) & 255]; return s.slice(0, n); };
export const T2K = text(2048), T1K = text(1024);
// a valid JSON object text of exactly 200 bytes, cut in 50 pieces of 4 bytes
const ARG_HEAD = '{"path":"src/module/file.ts","query":"';
export const ARGS = ARG_HEAD + text(200 - ARG_HEAD.length - 2).replace(/"/g, 'x') + '"}';
export const ARG_DELTAS = Array.from({ length: 50 }, (_, i) => ARGS.slice(i * 4, i * 4 + 4));
export const KINDS = ['text', 'reasoning', 'tool'];

export function* w1(N) {                       // one text part, N deltas of 4 bytes
  yield { k: 'start', p: 0, kind: 'text', id: 't0' };
  for (let i = 0; i < N; i++) yield { k: 'delta', p: 0, kind: 'text', id: 't0', d: DELTAS[i & 255] };
  yield { k: 'end', p: 0, kind: 'text', id: 't0' };
}
// seeds for W2/W5: M finished parts, text 2 KB / reasoning 2 KB / tool (200 B args, 1 KB output), in rotation
export function seeds(M) {
  const out = [];
  for (let i = 0; i < M; i++) { const kind = KINDS[i % 3]; out.push({ kind, id: 's' + i, name: 'read_file', text: kind === 'tool' ? ARGS : T2K, out: kind === 'tool' ? T1K : undefined }); }
  return out;
}
export function* w2(M, N) {                    // N deltas into part M
  const id = 'last';
  yield { k: 'start', p: M, kind: 'text', id };
  for (let i = 0; i < N; i++) yield { k: 'delta', p: M, kind: 'text', id, d: DELTAS[i & 255] };
  yield { k: 'end', p: M, kind: 'text', id };
}
export function* w3(rounds = 20) {             // the mixed turn
  let p = 0;
  for (let r = 0; r < rounds; r++) {
    yield { k: 'step' };
    let id = 'r' + r;
    yield { k: 'start', p, kind: 'reasoning', id };
    for (let i = 0; i < 300; i++) yield { k: 'delta', p, kind: 'reasoning', id, d: DELTAS[i & 255] };
    yield { k: 'end', p, kind: 'reasoning', id }; p++;
    id = 'a' + r;
    yield { k: 'start', p, kind: 'text', id };
    for (let i = 0; i < 100; i++) yield { k: 'delta', p, kind: 'text', id, d: DELTAS[i & 255] };
    yield { k: 'end', p, kind: 'text', id }; p++;
    const base = p; p += 3;
    for (let t = 0; t < 3; t++) yield { k: 'start', p: base + t, kind: 'tool', id: `c${r}_${t}`, name: 'read_file' };
    for (let i = 0; i < 50; i++) for (let t = 0; t < 3; t++) yield { k: 'delta', p: base + t, kind: 'tool', id: `c${r}_${t}`, d: ARG_DELTAS[i] };
    for (let t = 0; t < 3; t++) yield { k: 'end', p: base + t, kind: 'tool', id: `c${r}_${t}`, name: 'read_file' };
    for (let t = 0; t < 3; t++) yield { k: 'result', p: base + t, kind: 'tool', id: `c${r}_${t}`, out: T1K };
    yield { k: 'step' };
    id = 'b' + r;
    yield { k: 'start', p, kind: 'text', id };
    for (let i = 0; i < 500; i++) yield { k: 'delta', p, kind: 'text', id, d: DELTAS[i & 255] };
    yield { k: 'end', p, kind: 'text', id }; p++;
  }
}
export const W3_DELTAS = 20 * (300 + 100 + 150 + 500);
export function* w4msg(m) {                    // one of 1000 messages: 200 reasoning + 800 text deltas
  let id = `m${m}r`;
  yield { k: 'start', p: 0, kind: 'reasoning', id };
  for (let i = 0; i < 200; i++) yield { k: 'delta', p: 0, kind: 'reasoning', id, d: DELTAS[i & 255] };
  yield { k: 'end', p: 0, kind: 'reasoning', id };
  id = `m${m}t`;
  yield { k: 'start', p: 1, kind: 'text', id };
  for (let i = 0; i < 800; i++) yield { k: 'delta', p: 1, kind: 'text', id, d: DELTAS[i & 255] };
  yield { k: 'end', p: 1, kind: 'text', id };
}
