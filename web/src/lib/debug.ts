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
}

declare global {
  interface Window {
    __steno?: Debug;
  }
}

export const debug: Debug | undefined =
  typeof location !== 'undefined' && new URLSearchParams(location.search).get('debug') === '1'
    ? { renders: new Map(), framesApplied: 0, stats: () => ({}), cursor: () => '', breakStream: () => {} }
    : undefined;

if (debug) window.__steno = debug;

export function countRender(key: string): void {
  if (debug) debug.renders.set(key, (debug.renders.get(key) ?? 0) + 1);
}
