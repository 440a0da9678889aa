// The peers of the benchmark in JavaScript, each on the workloads of ../texts.go
// through its own public interface.
import { Clock, source, touch, READ } from './harness.mjs';
import * as G from './gen.mjs';

const steps = (w, a) => steps0(w, a)[Symbol.iterator]();
const steps0 = (w, a) => w === 'w1' ? G.w1(+a[0]) : w === 'w2' ? G.w2(+a[0], +(a[1] || 10000)) : w === 'w3' ? G.w3() : w === 'w5' ? G.w2(+a[0], +(a[1] || 10000)) : null;
const prebuilt = (w, a) => [...steps0(w, a)];
const nseed = (w, a) => (w === 'w2' || w === 'w5') ? +a[0] : 0;

// ---------- Vercel AI SDK
export const toUI = (e) => {
  switch (e.k) {
    case 'step': return [{ type: 'start-step' }];
    case 'start': return e.kind === 'tool' ? [{ type: 'tool-input-start', toolCallId: e.id, toolName: e.name }] : [{ type: e.kind + '-start', id: e.id }];
    case 'delta': return e.kind === 'tool' ? [{ type: 'tool-input-delta', toolCallId: e.id, inputTextDelta: e.d }] : [{ type: e.kind + '-delta', id: e.id, delta: e.d }];
    case 'end': return e.kind === 'tool' ? [{ type: 'tool-input-available', toolCallId: e.id, toolName: e.name, input: JSON.parse(G.ARGS) }] : [{ type: e.kind + '-end', id: e.id }];
    case 'result': return [{ type: 'tool-output-available', toolCallId: e.id, output: e.out }];
  }
};
export const uiSeed = (M) => G.seeds(M).map((s) => s.kind === 'tool' ? { type: 'tool-read_file', toolCallId: s.id, state: 'output-available', input: JSON.parse(s.text), output: s.out } : { type: s.kind, text: s.text, state: 'done' });
async function aiRead(ai, w, a) {
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  const message = M ? { id: 'm', role: 'assistant', parts: uiSeed(M) } : undefined;
  const one = async (iter, message) => {
    let last;
    for await (const m of ai.readUIMessageStream({ message, stream: source(iter, toUI, clock), terminateOnError: true })) { last = m; const p = m.parts[m.parts.length - 1]; touch(p?.text); }
    return last;
  };
  if (w === 'w4') { const conv = []; for (let m = 0; m < +a[0] && !clock.stopped; m++) conv.push(await one(G.w4msg(m))); return { ...clock.end(), keep: conv.length }; }
  const last = await one(steps(w, a), message);
  return { ...clock.end(), parts: last.parts.length };
}
async function aiChat(Chat, w, a) {
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  let iter = null;
  const transport = { sendMessages: async () => source(iter, toUI, clock), reconnectToStream: async () => null };
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] }];
  if (w === 'w5') for (let i = 0; i < M; i++) messages.push({ id: 'h' + i, role: i & 1 ? 'user' : 'assistant', parts: uiSeed(3) });   // nodes = messages
  if (w === 'w2') messages.push({ id: 'm', role: 'assistant', parts: uiSeed(M) });
  let err; let seen = 0;
  const chat = new Chat({ id: 'c', messages, transport, onError: (e) => { err = e; }, generateId: (() => { let i = 0; return () => 'g' + i++; })() });
  const onMessages = () => { seen++; const ms = chat.messages; const m = ms[ms.length - 1]; const p = m.parts[m.parts.length - 1]; touch(p?.text); };
  (chat['~registerMessagesCallback'] ?? ((f) => { chat.state.cb = f; })).call(chat, onMessages);
  if (w === 'w4') { for (let m = 0; m < +a[0] && !clock.stopped; m++) { iter = G.w4msg(m); await chat.sendMessage({ text: 'q' }); if (err) throw err; } return { ...clock.end(), keep: chat.messages.length, seen }; }
  iter = steps(w, a);
  if (w === 'w2') await chat.sendMessage(); else await chat.sendMessage({ text: 'q' });
  if (err) throw err;
  return { ...clock.end(), parts: chat.messages.at(-1).parts.length, seen };
}
function barChat(ai) {            // AbstractChat over the least possible ChatState: what processUIMessageStream costs by itself
  class State { constructor(m) { this.messages = m; this.status = 'ready'; this.error = undefined; } pushMessage = (m) => { this.messages.push(m); this.cb?.(); }; popMessage = () => { this.messages.pop(); }; replaceMessage = (i, m) => { this.messages[i] = m; this.cb?.(); }; snapshot = (x) => x; }
  return class extends ai.AbstractChat { constructor({ messages, ...o }) { super({ ...o, state: new State(messages) }); } };
}
// ---------- Solid store
const solidSeed = (M) => G.seeds(M).map((s) => s.kind === 'tool' ? { type: 'tool', id: s.id, name: s.name, state: { status: 'completed', input: s.text, output: s.out } } : { type: s.kind, id: s.id, text: s.text });
async function solid(w, a, mode) {
  const { createRoot, createEffect, createMemo, batch } = await import('solid-js');
  const { createStore, produce, reconcile, unwrap } = await import('solid-js/store');
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  let seen = 0;
  return createRoot(() => {
    const [store, set] = createStore({ message: [{ id: 'm0', role: 'assistant', content: solidSeed(M) }] });
    const mi = () => store.message.length - 1;
    // the usual's writer: find the active assistant message, then findLast over its unkeyed content, inside produce
    const upd = (fn) => set('message', produce(fn));
    const active = (d) => d.findLast((m) => m.role === 'assistant' && !m.done);
    const push = (e) => {
      switch (e.k) {
        case 'start': upd((d) => { active(d).content.push(e.kind === 'tool' ? { type: 'tool', id: e.id, name: e.name, state: { status: 'streaming', input: '', output: undefined } } : { type: e.kind, id: e.id, text: '' }); });
          if (!process.env.NOSUB) subscribe(e); return;
        case 'delta':
          if (mode === 'produce') return upd((d) => { const c = active(d).content; if (e.kind === 'tool') { const t = c.findLast((x) => x.type === 'tool' && x.id === e.id); if (t) t.state.input += e.d; } else { const t = c.findLast((x) => x.type === e.kind); if (t) t.text += e.d; } });
          if (mode === 'path') return e.kind === 'tool' ? set('message', mi(), 'content', e.p, 'state', 'input', (t) => t + e.d) : set('message', mi(), 'content', e.p, 'text', (t) => t + e.d);
          if (mode === 'reconcile') { const cur = unwrap(store.message[mi()]); const content = cur.content.slice(); const x = content[e.p]; content[e.p] = e.kind === 'tool' ? { ...x, state: { ...x.state, input: x.state.input + e.d } } : { ...x, text: x.text + e.d }; return set('message', mi(), reconcile({ ...cur, content }, { key: 'id' })); }
          if (mode === 'reconcileall') { const cur = JSON.parse(JSON.stringify(unwrap(store.message[mi()]))); const x = cur.content[e.p]; if (e.kind === 'tool') x.state.input += e.d; else x.text += e.d; return set('message', mi(), reconcile(cur, { key: 'id' })); }
          return;
        case 'result': return upd((d) => { const t = active(d).content.findLast((x) => x.type === 'tool' && x.id === e.id); if (t) { t.state.status = 'completed'; t.state.output = e.out; } });
      }
    };
    // the usual's consumer: a part row that resolves its part again and again: content.filter(type)[ordinal]
    const subscribe = (e) => {
      const m = mi(); const content = () => store.message[m].content;
      if (process.env.DIRECT) { const part = content()[e.p]; createEffect(() => { seen++; touch(part.type === 'tool' ? part.state.input : part.text); }); return; }
      if (e.kind === 'tool') createEffect(() => { const t = content().find((x) => x.type === 'tool' && x.id === e.id); seen++; touch(t?.state.input); });
      else { const ordinal = unwrap(content()).filter((x) => x.type === e.kind).length - 1; createEffect(() => { const t = content().filter((x) => x.type === e.kind)[ordinal]; seen++; touch(t?.text); }); }
    };
    const evs = w === 'w4' ? null : prebuilt(w, a);
    return new Promise((res) => queueMicrotask(() => {
      if (w === 'w4') {
        for (let m = 0; m < +a[0] && !clock.stopped; m++) { set('message', (l) => [...l, { id: 'x' + m, role: 'assistant', content: [] }]); for (const e of G.w4msg(m)) { if (e.k === 'delta' && !clock.delta()) break; push(e); } set('message', mi(), 'done', true); }
      } else for (const e of evs) { if (e.k === 'delta' && !clock.delta()) break; push(e); }
      res({ ...clock.end(), parts: unwrap(store.message).at(-1).content.length, seen });
    }));
  });
}
// ---------- AG-UI
const toAG = (e) => {
  switch (e.k) {
    case 'step': return [];
    case 'start': return e.kind === 'tool' ? [{ type: 'TOOL_CALL_START', toolCallId: e.id, toolCallName: e.name, parentMessageId: 'am' }] : e.kind === 'reasoning' ? [{ type: 'REASONING_MESSAGE_START', messageId: e.id, role: 'reasoning' }] : [{ type: 'TEXT_MESSAGE_START', messageId: e.id, role: 'assistant' }];
    case 'delta': return e.kind === 'tool' ? [{ type: 'TOOL_CALL_ARGS', toolCallId: e.id, delta: e.d }] : e.kind === 'reasoning' ? [{ type: 'REASONING_MESSAGE_CONTENT', messageId: e.id, delta: e.d }] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId: e.id, delta: e.d }];
    case 'end': return e.kind === 'tool' ? [{ type: 'TOOL_CALL_END', toolCallId: e.id }] : e.kind === 'reasoning' ? [{ type: 'REASONING_MESSAGE_END', messageId: e.id }] : [{ type: 'TEXT_MESSAGE_END', messageId: e.id }];
    case 'result': return [{ type: 'TOOL_CALL_RESULT', messageId: 'res' + e.id, toolCallId: e.id, content: e.out, role: 'tool' }];
  }
};
const agSeed = (M) => G.seeds(M).flatMap((s) => s.kind === 'tool' ? [{ id: 'a' + s.id, role: 'assistant', toolCalls: [{ id: s.id, type: 'function', function: { name: s.name, arguments: s.text } }] }, { id: 'r' + s.id, role: 'tool', toolCallId: s.id, content: s.out }] : [{ id: s.id, role: s.kind === 'text' ? 'assistant' : 'reasoning', content: s.text }]);
async function agui(w, a, sub) {
  const { defaultApplyEvents } = await import('@ag-ui/client');
  const { Observable } = await import('rxjs');
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  const agent = { messages: agSeed(M), state: {}, debug: false };
  const iter = w === 'w4' ? (function* () { for (let m = 0; m < +a[0]; m++) yield* G.w4msg(m); })() : steps(w, a);
  let seen = 0, last;
  // the source hands over one event at a time (next only after the previous mutation came out), so that the time box holds
  await new Promise((res, rej) => {
    let emit, done = false;
    const next = () => { for (;;) { const r = iter.next(); if (r.done || clock.stopped) { done = true; emit.complete(); return; } if (r.value.k === 'delta') clock.delta(); const ev = toAG(r.value); if (!ev.length) continue; emit.next(ev[0]); return; } };
    const obs = new Observable((s) => { emit = s; });
    const subs = sub ? [{ onEvent() { seen++; } }] : [];
    const stepOne = () => { if (!done) next(); };
    defaultApplyEvents({ threadId: 't', runId: 'r', state: {}, messages: agent.messages, tools: [], context: [] }, obs, agent, subs, false)
      .subscribe({ next: (m) => { if (m.messages) { last = m.messages; const x = last[last.length - 1]; touch(typeof x.content === 'string' ? x.content : x.toolCalls?.at(-1)?.function.arguments); } }, complete: res, error: rej });
    // END events give no mutation: drive by microtask ticks after each event instead
    const drive = async () => { while (!done) { const before = clock.n; next(); for (let i = 0; i < 12; i++) await null; } };
    drive().catch(rej);
  });
  return { ...clock.end(), parts: last?.length, seen };
}
// ---------- assistant-ui
const toAUI = (e) => {
  switch (e.k) {
    case 'step': return [];
    case 'start': return [{ type: 'part-start', path: [], part: e.kind === 'tool' ? { type: 'tool-call', toolCallId: e.id, toolName: e.name } : { type: e.kind } }];
    case 'delta': return [{ type: 'text-delta', path: [e.p], textDelta: e.d }];
    case 'end': return e.kind === 'tool' ? [{ type: 'tool-call-args-text-finish', path: [e.p] }] : [{ type: 'part-finish', path: [e.p] }];
    case 'result': return [{ type: 'result', path: [e.p], result: e.out, isError: false }];
  }
};
async function aui(w, a) {
  const { AssistantMessageAccumulator } = await import('assistant-stream');
  const { createInitialMessage } = await import('./node_modules/assistant-stream/dist/core/accumulators/assistant-message-accumulator.js');
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  const one = async (iter, M) => {
    const init = createInitialMessage();
    const initialMessage = M ? { ...init, parts: G.seeds(M).map((s) => s.kind === 'tool' ? { type: 'tool-call', toolCallId: s.id, toolName: s.name, argsText: s.text, args: JSON.parse(s.text), state: 'result', result: s.out, status: { type: 'complete', reason: 'stop' } } : { type: s.kind, text: s.text, status: { type: 'complete', reason: 'unknown' } }), get content() { return this.parts; } } : undefined;
    const reader = source(iter, toAUI, clock).pipeThrough(new AssistantMessageAccumulator({ initialMessage })).getReader();
    let last;
    for (;;) { const { done, value } = await reader.read(); if (done) break; last = value; const p = value.parts[value.parts.length - 1]; touch(p?.text ?? p?.argsText); }
    return last;
  };
  if (w === 'w4') { const conv = []; for (let m = 0; m < +a[0] && !clock.stopped; m++) conv.push(await one(G.w4msg(m), 0)); return { ...clock.end(), keep: conv.length }; }
  const last = await one(steps(w, a), M);
  return { ...clock.end(), parts: last.parts.length };
}
// ---------- JS floors
async function floor(w, a) {                   // Map slot + rope append + one callback; the least that a JS engine can do
  const clock = new Clock(+(process.env.BOX || 3000)); const M = nseed(w, a);
  const slots = new Map(); const order = []; let seen = 0;
  const cb = (slot) => { seen++; touch(slot.text); };
  for (const s of G.seeds(M)) { const slot = { kind: s.kind, text: s.text, out: s.out }; slots.set(s.id, slot); order.push(slot); }
  const push = (e) => { if (e.k === 'start') { const s = { kind: e.kind, text: '', out: undefined }; slots.set(e.id, s); order.push(s); cb(s); } else if (e.k === 'delta') { const s = slots.get(e.id); s.text += e.d; cb(s); } else if (e.k === 'result') { const s = slots.get(e.id); s.out = e.out; cb(s); } };
  if (w === 'w4') { for (let m = 0; m < +a[0] && !clock.stopped; m++) for (const e of G.w4msg(m)) { if (e.k === 'delta' && !clock.delta()) break; push(e); } }
  else { const evs = prebuilt(w, a); for (const e of evs) { if (e.k === 'delta' && !clock.delta()) break; push(e); } }
  return { ...clock.end(), parts: order.length, seen };
}
async function plumbing(w, a) {                // the same source through one identity TransformStream and a reader: what web streams cost
  const clock = new Clock(+(process.env.BOX || 3000));
  const iter = steps(w, a); let n = 0;
  const r = source(iter, (e) => [e], clock).pipeThrough(new TransformStream({ transform(c, k) { k.enqueue(c); } })).getReader();
  for (;;) { const { done } = await r.read(); if (done) break; n++; }
  return { ...clock.end(), n2: n };
}
export const PEERS = {
  'floor': floor, 'plumbing': plumbing,
  'ai7-read': async (w, a) => aiRead(await import('ai7'), w, a),
  'ai7-react': async (w, a) => aiChat((await import('@ai-sdk/react')).Chat, w, a),
  'ai7-bare': async (w, a) => aiChat(barChat(await import('ai7')), w, a),
  'solid-produce': (w, a) => solid(w, a, 'produce'),
  'solid-path': (w, a) => solid(w, a, 'path'),
  'solid-reconcile': (w, a) => solid(w, a, 'reconcile'),
  'solid-reconcileall': (w, a) => solid(w, a, 'reconcileall'),
  'agui': (w, a) => agui(w, a, false),
  'aui': aui,
};
