/**
 * Text that only grows. Appending costs O(1) amortised and reading what was
 * added since a known length costs what was added, so drawing a delta never
 * depends on how long the text already is. Lengths are UTF-16 units, as in
 * the protocol.
 */
export class Growing {
  // Sizes fall from front to back like the bits of a counter, so there are
  // O(log n) pieces and each character is copied O(log n) times in all.
  #pieces: string[] = [];
  #length = 0;

  constructor(text = '') {
    this.append(text);
  }

  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (text === '') return;
    this.#length += text.length;
    const pieces = this.#pieces;
    pieces.push(text);
    while (pieces.length > 1 && pieces[pieces.length - 2].length <= pieces[pieces.length - 1].length) {
      const last = pieces.pop()!;
      pieces[pieces.length - 1] += last;
    }
  }

  /** The text from position `from` to the end. */
  since(from: number): string {
    if (from <= 0) return this.toString();
    if (from >= this.#length) return '';
    const out: string[] = [];
    let start = this.#length;
    for (let i = this.#pieces.length - 1; i >= 0; i--) {
      const piece = this.#pieces[i];
      start -= piece.length;
      if (start <= from) {
        out.push(piece.slice(from - start));
        break;
      }
      out.push(piece);
    }
    return out.reverse().join('');
  }

  /** At most the first `count` units. */
  head(count: number): string {
    let out = '';
    for (const piece of this.#pieces) {
      if (out.length >= count) break;
      out += piece.slice(0, count - out.length);
    }
    return out;
  }

  /** Cuts the text back to `length` units; used to undo an event that failed. */
  truncate(length: number): void {
    if (length >= this.#length) return;
    const kept = this.head(length);
    this.#pieces = kept === '' ? [] : [kept];
    this.#length = length;
  }

  toString(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }

  toJSON(): string {
    return this.toString();
  }
}
