import { getContext, setContext } from 'svelte';
import type { SvelteMap } from 'svelte/reactivity';
import type { View } from '../stream/client';

/** What the rows of a conversation share. */
export interface Shared {
  view: View;
  /** What the reader unfolded or folded, by row or part; it outlives the row's stay in the page. */
  folds: SvelteMap<string, boolean>;
  /** Takes far chunks of long texts out of the page. */
  lazy: () => IntersectionObserver | undefined;
}

const key = Symbol('conversation');

export function provide(shared: Shared): void {
  setContext(key, shared);
}

export function shared(): Shared {
  return getContext<Shared>(key);
}
