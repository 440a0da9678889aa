import { describe, expect, test } from 'vitest';
import { Follow } from '../src/scroll/follow';
import { Heights } from '../src/scroll/heights';
import { random } from './random';

describe('G50 following', () => {
  const view = 600;
  const bottom = (content: number): number => content - view;

  function followed(on: boolean): Follow {
    const follow = new Follow();
    follow.placed(bottom(2000));
    if (!on) follow.scrolled({ top: bottom(2000) - 300, view, content: 2000 });
    return follow;
  }

  test('1 scrolling up ends it', () => {
    const follow = followed(true);
    follow.scrolled({ top: bottom(2000) - 300, view, content: 2000 });
    expect(follow.on).toBe(false);
  });

  test('1 even a little, while text streams in', () => {
    const follow = followed(true);
    follow.scrolled({ top: bottom(2000) - 4, view, content: 2100 });
    expect(follow.on).toBe(false);
  });

  test('2 back at the bottom it begins again', () => {
    const follow = followed(false);
    follow.scrolled({ top: bottom(2000), view, content: 2000 });
    expect(follow.on).toBe(true);
  });

  test.each([true, false])('3–6 what the reader did not do changes nothing (%s)', (on) => {
    const follow = followed(on);
    const top = on ? bottom(2000) : bottom(2000) - 300;
    follow.scrolled({ top, view: 400, content: 2000 }); // 3 a shorter window
    follow.scrolled({ top, view, content: 2200 }); // 4 an image above
    follow.scrolled({ top, view, content: 2000 }); // 5 a wheel that moves nothing
    follow.scrolled({ top: bottom(1000), view, content: 1000 }); // 6 a collapse presses the view up
    expect(follow.on).toBe(on);
  });

  test('a scroll event of the view’s own making is no one’s wish', () => {
    const follow = followed(true);
    follow.placed(bottom(5000));
    expect(follow.scrolled({ top: bottom(5000) + 0.4, view, content: 6000 })).toBe(false);
    expect(follow.on).toBe(true);
  });
});

describe('row heights', () => {
  test('agree with a plain sum, however they change', () => {
    const next = random(5);
    const heights = new Heights();
    const known = new Map<string, number>();
    let keys: string[] = [];
    for (let round = 0; round < 300; round++) {
      const roll = next();
      if (roll < 0.3) {
        const at = Math.floor(next() * (keys.length + 1));
        keys = [...keys.slice(0, at), `k${round}`, ...keys.slice(at)];
        heights.setKeys(keys, () => 50);
      } else if (roll < 0.4 && keys.length > 0) {
        keys = keys.filter((_, i) => i !== Math.floor(next() * keys.length));
        heights.setKeys(keys, () => 50);
      } else if (keys.length > 0) {
        const key = keys[Math.floor(next() * keys.length)];
        const height = Math.floor(next() * 300);
        heights.measure(key, height);
        known.set(key, height);
      }
      const at = Math.floor(next() * (keys.length + 1));
      const sum = keys.slice(0, at).reduce((total, key) => total + (known.get(key) ?? 50), 0);
      expect(heights.top(at)).toBe(sum);
      if (at < keys.length && (known.get(keys[at]) ?? 50) > 0) expect(heights.at(sum + 0.5)).toBe(at);
    }
  });
});
