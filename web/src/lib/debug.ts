import { Growing, type Fields, type State } from '../stream/client';

/** What tests read as `window.__steno` when the address says `?debug=1`. */
export interface Debug {
  /** How often each row (`row <key>`) and part (`<message> <key>`) was drawn. */
  renders: Map<string, number>;
  /** Frames in which changes were drawn. */
  framesApplied: number;
  /** Counts of the view's stream. */
  stats: () => object;
  /** `branch:seq` of what is on screen. */
  cursor: () => string;
  /** Closes the stream as a broken line would, to be resumed. */
  breakStream: () => void;
  /** All that is held: the keys and nodes of each collection, in order. */
  state: () => Record<string, [string, Fields][]>;
  /** How much text the markdown parser was given, in UTF-16 units. */
  lexed: () => number;
}

declare global {
  interface Window {
    __steno?: Debug;
  }
}

export const debug: Debug | undefined =
  typeof location !== 'undefined' && new URLSearchParams(location.search).get('debug') === '1'
    ? { renders: new Map(), framesApplied: 0, stats: () => ({}), cursor: () => '', breakStream: () => {}, state: () => ({}), lexed: () => 0 }
    : undefined;

if (debug) window.__steno = debug;

export function countRender(key: string): void {
  if (debug) debug.renders.set(key, (debug.renders.get(key) ?? 0) + 1);
}

/** A state as plain JSON: what grew is a string. */
export function plainState(state: State): Record<string, [string, Fields][]> {
  const plain = (node: Fields): Fields => Object.fromEntries(Object.entries(node).map(([field, value]) => [field, value instanceof Growing ? String(value) : value]));
  return Object.fromEntries(state.names.map((name) => [name, state.collection(name).slots.map(({ key, node }) => [key, plain(node)])]));
}
