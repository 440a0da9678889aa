import { expect, test } from 'vitest';
import { sameWords } from '../src/lib/fields';

test('what a command printed and what it handed back are one text, whatever white space ends them', () => {
  for (const [a, b, same] of [
    ['exit 1', 'exit 1', true],
    ['exit 1\n\n\n  \t\n', 'exit 1', true],
    ['\nexit 1\r\n', 'exit 1\n', true],
    ['exit 1', 'exit 2', false],
    ['exit 1', '', false],
    ['', '', false],
    ['  ', 'x', false],
  ] as const) {
    expect(sameWords(a, b)).toBe(same);
    expect(sameWords(b, a)).toBe(same);
  }
  const long = 'x'.repeat(1 << 17);
  expect(sameWords(long, long)).toBe(false);
});
