import { describe, expect, test } from 'vitest';
import { Mismatch, State, type Op } from '../src/stream/client';

function dump(state: State): Record<string, [string, unknown][]> {
  const out: Record<string, [string, unknown][]> = {};
  for (const name of state.names) {
    const slots = state.collection(name).slots;
    if (slots.length > 0) out[name] = slots.map(({ key, node }) => [key, JSON.parse(JSON.stringify(node))]);
  }
  return out;
}

const base: Op[] = [
  { op: 'insert', collection: 'rows', key: 'a', node: { type: 'part' } },
  { op: 'insert', collection: 'rows', key: 'c', node: { type: 'part' } },
  { op: 'insert', collection: 'parts/m', key: 'text:0', node: { kind: 'text', text: 'he' } },
];

function made(): State {
  const state = new State();
  state.apply(base);
  state.flush();
  return state;
}

describe('every operation', () => {
  const cases: [string, Op, Record<string, unknown>][] = [
    ['insert last', { op: 'insert', collection: 'rows', key: 'd', node: { n: 1 } }, { rows: [['a', { type: 'part' }], ['c', { type: 'part' }], ['d', { n: 1 }]] }],
    ['insert before', { op: 'insert', collection: 'rows', key: 'b', before: 'c', node: {} }, { rows: [['a', { type: 'part' }], ['b', {}], ['c', { type: 'part' }]] }],
    ['append', { op: 'append', collection: 'parts/m', key: 'text:0', field: 'text', at: 2, len: 3, text: 'l🙂' }, { 'parts/m': [['text:0', { kind: 'text', text: 'hel🙂' }]] }],
    ['append to an absent field', { op: 'append', collection: 'parts/m', key: 'text:0', field: 'output', at: 0, len: 1, text: 'x' }, { 'parts/m': [['text:0', { kind: 'text', text: 'he', output: 'x' }]] }],
    ['set keeps the other fields', { op: 'set', collection: 'parts/m', key: 'text:0', fields: { state: 'sealed' } }, { 'parts/m': [['text:0', { kind: 'text', text: 'he', state: 'sealed' }]] }],
    ['move before', { op: 'move', collection: 'rows', key: 'c', before: 'a' }, { rows: [['c', { type: 'part' }], ['a', { type: 'part' }]] }],
    ['move last', { op: 'move', collection: 'rows', key: 'a' }, { rows: [['c', { type: 'part' }], ['a', { type: 'part' }]] }],
    ['remove', { op: 'remove', collection: 'rows', keys: ['a', 'nobody'] }, { rows: [['c', { type: 'part' }]] }],
    ['a collection it does not know', { op: 'insert', collection: 'later', key: 'x', node: {} }, { later: [['x', {}]] }],
    ['an operation it does not know', { op: 'dance' } as unknown as Op, {}],
  ];
  test.each(cases)('%s', (_, op, want) => {
    const state = made();
    const before = dump(state);
    state.apply([op]);
    expect(dump(state)).toEqual({ ...before, ...want });
  });
});

describe('what does not fit', () => {
  const cases: [string, Op][] = [
    ['append at another length', { op: 'append', collection: 'parts/m', key: 'text:0', field: 'text', at: 1, len: 1, text: 'x' }],
    ['append of another length', { op: 'append', collection: 'parts/m', key: 'text:0', field: 'text', at: 2, len: 1, text: '🙂' }],
    ['append to nobody', { op: 'append', collection: 'parts/m', key: 'text:9', field: 'text', at: 0, len: 1, text: 'x' }],
    ['set on nobody', { op: 'set', collection: 'rows', key: 'z', fields: {} }],
    ['move of nobody', { op: 'move', collection: 'rows', key: 'z' }],
    ['insert before nobody', { op: 'insert', collection: 'rows', key: 'd', before: 'z', node: {} }],
    ['move before nobody', { op: 'move', collection: 'rows', key: 'a', before: 'z' }],
  ];
  test.each(cases)('%s leaves nothing of its event', (_, op) => {
    const state = made();
    const before = dump(state);
    const slots = state.collection('rows').slots;
    expect(() =>
      state.apply([
        { op: 'append', collection: 'parts/m', key: 'text:0', field: 'text', at: 2, len: 0, text: '' },
        { op: 'insert', collection: 'rows', key: 'new', before: 'a', node: {} },
        { op: 'set', collection: 'rows', key: 'a', fields: { type: 'group' } },
        { op: 'remove', collection: 'rows', keys: ['c', 'new'] },
        op,
      ]),
    ).toThrow(Mismatch);
    expect(dump(state)).toEqual(before);
    expect(state.collection('rows').slots.map((slot, i) => slot === slots[i] && !slot.removed)).toEqual([true, true]);
  });
});

describe('who is told', () => {
  test('C74 one delta tells one slot, and no structure', () => {
    const state = made();
    state.apply([{ op: 'insert', collection: 'parts/m', key: 'text:1', node: { text: '' } }]);
    state.flush();
    const told: string[] = [];
    for (const name of state.names) {
      state.collection(name).subscribe(() => told.push(name));
      for (const slot of state.collection(name).slots) slot.subscribe(() => told.push(`${name} ${slot.key}`));
    }
    for (let i = 0; i < 5; i++) state.apply([{ op: 'append', collection: 'parts/m', key: 'text:1', field: 'text', at: i, len: 1, text: 'x' }]);
    state.flush();
    state.flush();
    expect(told).toEqual(['parts/m text:1']);
  });

  test('a node is another object after each change, and the same one without', () => {
    const state = made();
    const slot = state.collection('parts/m').get('text:0')!;
    const before = slot.node;
    state.apply([{ op: 'append', collection: 'parts/m', key: 'text:0', field: 'text', at: 2, len: 1, text: 'x' }]);
    expect(slot.node).not.toBe(before);
    const rows = state.collection('rows').slots;
    state.apply([{ op: 'set', collection: 'rows', key: 'a', fields: { x: 1 } }]);
    expect(state.collection('rows').slots).toBe(rows);
  });

  test('a snapshot keeps the slots whose keys stay', () => {
    const state = made();
    const [a, c] = state.collection('rows').slots;
    state.reset([
      { op: 'insert', collection: 'rows', key: 'c', node: { n: 2 } },
      { op: 'insert', collection: 'rows', key: 'd', node: {} },
    ]);
    expect(state.collection('rows').slots[0]).toBe(c);
    expect([a.removed, c.removed, c.node.n]).toEqual([true, false, 2]);
    expect(dump(state)).toEqual({ rows: [['c', { n: 2 }], ['d', {}]] });
  });

  test('an older page comes before what is held', () => {
    const state = made();
    state.prepend([
      { op: 'insert', collection: 'rows', key: 'x', node: {} },
      { op: 'insert', collection: 'rows', key: 'y', node: {} },
      { op: 'insert', collection: 'rows', key: 'a', node: { stale: true } },
    ]);
    expect(state.collection('rows').slots.map(({ key }) => key)).toEqual(['x', 'y', 'a', 'c']);
    expect(state.collection('rows').get('a')!.node.stale).toBeUndefined();
  });
});

test('names from the wire reach no prototype', () => {
  const state = new State();
  const ops = JSON.parse('[{"op":"insert","collection":"__proto__","key":"__proto__","node":{"__proto__":{"bad":1}}},{"op":"set","collection":"__proto__","key":"__proto__","fields":{"__proto__":{"bad":2},"constructor":1}}]') as Op[];
  state.apply(ops);
  expect(({} as { bad?: number }).bad).toBeUndefined();
  expect(state.collection('__proto__').get('__proto__')).toBeDefined();
});
