/** A small repeatable source of random numbers: the same seed gives the same run. */
export function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Cuts text into random pieces of at most `most` units. */
export function cut(text: string, next: () => number, most: number): string[] {
  const pieces: string[] = [];
  for (let i = 0; i < text.length; ) {
    const size = 1 + Math.floor(next() * most);
    pieces.push(text.slice(i, i + size));
    i += size;
  }
  return pieces;
}
