import { createSubscriber } from 'svelte/reactivity';
import type { Collection, Fields, Slot, View } from '../stream/client';

type Source = { subscribe(listener: () => void): () => void };

const trackers = new WeakMap<Source, () => void>();

/** Makes the effect or derived that is running depend on `source`. */
function track(source: Source): void {
  let tracker = trackers.get(source);
  if (!tracker) trackers.set(source, (tracker = createSubscriber((update) => source.subscribe(update))));
  tracker();
}

/** A slot's node; the reader runs again when this slot changes, and no other. */
export function nodeOf(slot: Slot): Fields {
  track(slot);
  return slot.node;
}

/** A collection's slots in order; the reader runs again when the structure changes. */
export function slotsOf(collection: Collection): readonly Slot[] {
  track(collection);
  return collection.slots;
}

/** A view's own state: connection, running, window. */
export function stateOf(view: View): Pick<View, 'connection' | 'running' | 'window' | 'ready'> {
  track(view);
  const { connection, running, window, ready } = view;
  return { connection, running, window, ready };
}
