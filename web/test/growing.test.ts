import { expect, test } from 'vitest';
import { Growing } from '../src/stream/growing';
import { cut, random } from './random';

test('reads as the string it stands for, at every step', () => {
  const next = random(7);
  const text = Array.from({ length: 3000 }, () => String.fromCharCode(32 + Math.floor(next() * 900))).join('') + '🙂';
  const grown = new Growing();
  let plain = '';
  for (const piece of cut(text, next, 17)) {
    grown.append(piece);
    plain += piece;
    const at = Math.floor(next() * (plain.length + 3)) - 1;
    expect(grown.length).toBe(plain.length);
    expect(grown.since(at)).toBe(plain.slice(Math.max(0, at)));
    expect(grown.head(Math.max(0, at))).toBe(plain.slice(0, Math.max(0, at)));
  }
  grown.truncate(1000);
  expect(String(grown)).toBe(text.slice(0, 1000));
  expect(JSON.stringify({ grown })).toBe(JSON.stringify({ grown: text.slice(0, 1000) }));
});
