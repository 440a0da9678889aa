/** The heights of rows in order: measured where known, estimated elsewhere. */
export class Heights {
  #keys: readonly string[] = [];
  #index = new Map<string, number>();
  #measured = new Map<string, number>();
  #estimate: (key: string) => number = () => 64;
  #tops = new Float64Array(1);
  #valid = 0; // tops[0..valid] are right

  get count(): number {
    return this.#keys.length;
  }

  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Replaces the rows; heights of keys that stay are kept. */
  setKeys(keys: readonly string[], estimate: (key: string) => number): void {
    let same = 0;
    const most = Math.min(keys.length, this.#keys.length);
    while (same < most && keys[same] === this.#keys[same]) same++;
    for (let i = same; i < this.#keys.length; i++) this.#index.delete(this.#keys[i]);
    for (let i = same; i < keys.length; i++) this.#index.set(keys[i], i);
    this.#keys = keys;
    this.#estimate = estimate;
    this.#valid = Math.min(this.#valid, same);
    if (this.#tops.length < keys.length + 1) {
      const grown = new Float64Array(Math.max(keys.length + 1, 2 * this.#tops.length));
      grown.set(this.#tops);
      this.#tops = grown;
    }
  }

  indexOf(key: string): number {
    return this.#index.get(key) ?? -1;
  }

  /** Notes a row's height and says whether it changed. */
  measure(key: string, height: number): boolean {
    const index = this.indexOf(key);
    if (index < 0 || this.#measured.get(key) === height) return false;
    this.#measured.set(key, height);
    this.#valid = Math.min(this.#valid, index);
    return true;
  }

  /** The distance from the first row's top to that of row `index`. */
  top(index: number): number {
    for (; this.#valid < index; this.#valid++) {
      const key = this.#keys[this.#valid];
      const height = this.#measured.get(key) ?? this.#estimate(key);
      this.#tops[this.#valid + 1] = this.#tops[this.#valid] + height;
    }
    return this.#tops[index];
  }

  get total(): number {
    return this.top(this.#keys.length);
  }

  /** The row that holds the distance `y` from the first row's top. */
  at(y: number): number {
    this.top(this.#keys.length);
    let low = 0;
    let high = Math.max(0, this.#keys.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
