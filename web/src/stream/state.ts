import { Growing } from './growing';

/** The fields of a node. A field that grew is a {@link Growing}; `String(field)` reads either form. */
export type Fields = { readonly [field: string]: unknown };

export type Op =
  | { op: 'insert'; collection: string; key: string; before?: string; node: Fields }
  | { op: 'append'; collection: string; key: string; field: string; at: number; len: number; text: string }
  | { op: 'set'; collection: string; key: string; fields: Fields }
  | { op: 'move'; collection: string; key: string; before?: string }
  | { op: 'remove'; collection: string; keys: string[] }
  | { op: 'resync' };

/** What the viewer holds is not what the server thinks it holds; only a snapshot helps. */
export class Mismatch extends Error {}

type Listener = () => void;

class Source {
  #listeners = new Set<Listener>();

  /** Calls `listener` once per frame in which this changed. There is no first call. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @internal */
  notify(): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener();
  }
}

/** The place of one node. It lives as long as its key does; its node is replaced when a field changes. */
export class Slot extends Source {
  node: Fields;
  removed = false;

  constructor(
    readonly collection: string,
    readonly key: string,
    node: Fields,
  ) {
    super();
    this.node = node;
  }
}

/** An ordered set of slots. Its subscribers hear of structure only: what was inserted, moved or removed. */
export class Collection extends Source {
  #slots: Slot[] = [];
  #byKey = new Map<string, Slot>();
  #frozen: readonly Slot[] | undefined;

  constructor(readonly name: string) {
    super();
  }

  get(key: string): Slot | undefined {
    return this.#byKey.get(key);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** The slots in order; the same array until the structure changes. */
  get slots(): readonly Slot[] {
    return (this.#frozen ??= this.#slots.slice());
  }

  /** @internal */
  place(slot: Slot, before: string | undefined): void {
    const at = before === undefined ? this.#slots.length : this.#indexOf(before);
    this.#frozen = undefined;
    this.#byKey.set(slot.key, slot);
    if (at === this.#slots.length) this.#slots.push(slot);
    else this.#slots.splice(at, 0, slot);
  }

  /** @internal */
  take(keys: readonly string[]): Slot[] {
    const gone = new Set<Slot>();
    for (const key of keys) {
      const slot = this.#byKey.get(key);
      if (!slot) continue;
      gone.add(slot);
      this.#byKey.delete(key);
    }
    if (gone.size === 0) return [];
    this.#frozen = undefined;
    if (gone.size === 1) {
      const [only] = gone;
      this.#slots.splice(this.#slots.lastIndexOf(only), 1);
    } else {
      this.#slots = this.#slots.filter((slot) => !gone.has(slot));
    }
    return [...gone];
  }

  /** @internal */
  replace(slots: readonly Slot[]): void {
    this.#slots = slots.slice();
    this.#byKey = new Map(slots.map((slot) => [slot.key, slot]));
    this.#frozen = undefined;
  }

  #indexOf(key: string): number {
    const slot = this.#byKey.get(key);
    if (!slot) throw new Mismatch(`${this.name}: no ${key} to stand before`);
    return this.#slots.lastIndexOf(slot);
  }
}

/** What one frame changed: slots that were inserted, written or removed, and collections whose structure did. */
export interface Changes {
  slots: ReadonlySet<Slot>;
  collections: ReadonlySet<Collection>;
}

/**
 * The ordered collections of a conversation, changed only by ops. An event is
 * applied whole or, if it does not fit, not at all and {@link Mismatch} is
 * thrown. Nothing is folded here.
 */
export class State {
  #collections = new Map<string, Collection>();
  #slots = new Set<Slot>();
  #structures = new Set<Collection>();

  /** The named collection, empty if nothing was said of it yet. */
  collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (!found) this.#collections.set(name, (found = new Collection(name)));
    return found;
  }

  get names(): string[] {
    return [...this.#collections.keys()];
  }

  apply(ops: readonly Op[]): void {
    const undo: (() => void)[] = [];
    try {
      for (const op of ops) this.#apply(op, undo);
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  /** Becomes what `ops` build from nothing. A slot whose key stays is kept, so its subscribers are too. */
  reset(ops: readonly Op[]): void {
    const fresh = new State();
    fresh.apply(ops);
    for (const name of new Set([...this.names, ...fresh.names])) {
      this.#adopt(this.collection(name), fresh.collection(name).slots);
    }
  }

  /** Puts what `ops` build from nothing before what is held: an older page. Keys already held stay as they are. */
  prepend(ops: readonly Op[]): void {
    const fresh = new State();
    fresh.apply(ops);
    for (const name of fresh.names) {
      const into = this.collection(name);
      const older = fresh.collection(name).slots.filter((slot) => !into.get(slot.key));
      if (older.length === 0) continue;
      into.replace([...older, ...into.slots]);
      this.#structures.add(into);
    }
  }

  get dirty(): boolean {
    return this.#slots.size > 0 || this.#structures.size > 0;
  }

  /** Tells the subscribers of what changed since the last call, each once, and returns it. */
  flush(): Changes {
    const changes: Changes = { slots: this.#slots, collections: this.#structures };
    this.#slots = new Set();
    this.#structures = new Set();
    for (const collection of changes.collections) collection.notify();
    for (const slot of changes.slots) slot.notify();
    return changes;
  }

  #adopt(into: Collection, slots: readonly Slot[]): void {
    const kept = new Set<string>();
    const next = slots.map((slot) => {
      kept.add(slot.key);
      const held = into.get(slot.key);
      if (held) held.node = slot.node;
      this.#slots.add(held ?? slot);
      return held ?? slot;
    });
    for (const slot of into.slots) {
      if (kept.has(slot.key)) continue;
      slot.removed = true;
      this.#slots.add(slot);
    }
    into.replace(next);
    this.#structures.add(into);
  }

  #apply(op: Op, undo: (() => void)[]): void {
    switch (op.op) {
      case 'insert':
        return this.#insert(this.collection(op.collection), op, undo);
      case 'append':
        return this.#append(op, undo);
      case 'set': {
        const slot = this.#need(op.collection, op.key);
        return this.#write(slot, { ...slot.node, ...op.fields }, undo);
      }
      case 'move': {
        const collection = this.collection(op.collection);
        const slot = this.#need(op.collection, op.key);
        if (op.before === op.key) return;
        this.#restoreLater(collection, undo);
        collection.take([op.key]);
        collection.place(slot, op.before);
        return;
      }
      case 'remove': {
        const collection = this.collection(op.collection);
        this.#restoreLater(collection, undo);
        const gone = collection.take(op.keys);
        for (const slot of gone) {
          slot.removed = true;
          this.#slots.add(slot);
        }
        undo.push(() => gone.forEach((slot) => (slot.removed = false)));
        return;
      }
    }
  }

  #insert(collection: Collection, op: { key: string; before?: string; node: Fields }, undo: (() => void)[]): void {
    const held = collection.get(op.key);
    if (held) {
      this.#write(held, op.node, undo);
      return;
    }
    const slot = new Slot(collection.name, op.key, op.node);
    collection.place(slot, op.before);
    this.#structures.add(collection);
    this.#slots.add(slot);
    undo.push(() => collection.take([op.key]));
  }

  #append(op: Extract<Op, { op: 'append' }>, undo: (() => void)[]): void {
    const slot = this.#need(op.collection, op.key);
    const held = slot.node[op.field] ?? '';
    const grown = held instanceof Growing ? held : new Growing(String(held));
    if (grown.length !== op.at || op.text.length !== op.len) {
      throw new Mismatch(`${op.collection} ${op.key} ${op.field}: ${grown.length} long, not ${op.at}`);
    }
    grown.append(op.text);
    undo.push(() => grown.truncate(op.at));
    this.#write(slot, { ...slot.node, [op.field]: grown }, undo);
  }

  #write(slot: Slot, node: Fields, undo: (() => void)[]): void {
    const before = slot.node;
    slot.node = node;
    this.#slots.add(slot);
    undo.push(() => (slot.node = before));
  }

  #restoreLater(collection: Collection, undo: (() => void)[]): void {
    const before = collection.slots;
    undo.push(() => collection.replace(before));
    this.#structures.add(collection);
  }

  #need(collection: string, key: string): Slot {
    const slot = this.#collections.get(collection)?.get(key);
    if (!slot) throw new Mismatch(`${collection}: no ${key}`);
    return slot;
  }
}
