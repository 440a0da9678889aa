import { Follow } from './follow';
import { Heights } from './heights';

/** What is drawn beyond each edge of what is seen, in pixels … */
const overscan = 900;
/** … and how much of that may be used up before more is drawn. */
const slack = 450;

interface Anchor {
  key: string;
  /** The innermost element found at the top edge; stands for the row while it is in the page. */
  element: Element;
  offset: number;
}

export interface WindowOptions {
  scroller: HTMLElement;
  /** Stand for the rows before and after those drawn. */
  before: HTMLElement;
  after: HTMLElement;
  /** Draws rows start … end−1, at once. */
  draw: (start: number, end: number) => void;
  /** Following began or ended. */
  followed: (on: boolean) => void;
  /** The reader came near the beginning. */
  atStart: () => void;
}

/**
 * Draws the rows around what is seen and keeps the reader's place: at the
 * bottom while following, else the line at the top edge stays where it is
 * whatever changes above it. The browser's own scroll anchoring is off.
 */
export class RowWindow {
  readonly follow = new Follow();
  #heights = new Heights();
  #rows = new Map<Element, string>();
  #elements = new Map<string, HTMLElement>();
  #start = 0;
  #end = 0;
  #anchor: Anchor | undefined;
  #observer: ResizeObserver;
  #frame = 0;

  constructor(private readonly options: WindowOptions) {
    this.#observer = new ResizeObserver((entries) => this.#resized(entries));
    this.#observer.observe(options.scroller);
    options.scroller.addEventListener('scroll', this.#scrolled, { passive: true });
  }

  destroy(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
    this.options.scroller.removeEventListener('scroll', this.#scrolled);
  }

  /** Takes the rows in order. Call it after any change of structure. */
  setRows(keys: readonly string[], estimate: (key: string) => number): void {
    this.#heights.setKeys(keys, estimate);
    this.#redraw(true);
  }

  /** Measures the drawn rows again and puts the reader where they should be. */
  refresh(): void {
    this.#measure();
    this.#settle();
    this.#redraw(false);
  }

  /** Registers a drawn row; returns what takes it back. */
  row(element: HTMLElement, key: string): () => void {
    this.#rows.set(element, key);
    this.#elements.set(key, element);
    this.#observer.observe(element);
    return () => {
      this.#observer.unobserve(element);
      this.#rows.delete(element);
      if (this.#elements.get(key) === element) this.#elements.delete(key);
    };
  }

  /** Goes to the bottom and stays there. */
  toBottom(): void {
    this.#setFollow(true);
    this.#redraw(true);
  }

  /** Brings a row into sight and returns its element. */
  reveal(key: string, edge: 'nearest' | 'start' = 'nearest'): HTMLElement | undefined {
    const index = this.#heights.indexOf(key);
    if (index < 0) return undefined;
    const { scroller } = this.options;
    if (!this.#elements.has(key)) {
      this.#setFollow(false);
      this.#anchor = undefined;
      this.#place(this.#offset() + this.#heights.top(index));
      this.#redraw(true);
    }
    const element = this.#elements.get(key);
    if (!element) return undefined;
    const box = element.getBoundingClientRect();
    const seen = scroller.getBoundingClientRect();
    let by = 0;
    if (edge === 'start' || box.top < seen.top + 8) by = box.top - seen.top - 8;
    else if (box.bottom > seen.bottom - 8) by = Math.min(box.bottom - seen.bottom + 8, box.top - seen.top - 8);
    if (Math.abs(by) >= 1) {
      scroller.scrollTop += by;
      this.#scrolled();
    }
    return element;
  }

  #scrolled = (): void => {
    const { scroller } = this.options;
    const was = this.follow.on;
    const moved = this.follow.scrolled({ top: scroller.scrollTop, view: scroller.clientHeight, content: scroller.scrollHeight });
    if (!moved) return;
    if (was !== this.follow.on) this.options.followed(this.follow.on);
    // The reader's new place is the one to keep from here on.
    this.#drop();
    this.#redraw(false);
    if (scroller.scrollTop < 2 * overscan) this.options.atStart();
  };

  #resized(entries: ResizeObserverEntry[]): void {
    let changed = false;
    for (const { target, borderBoxSize } of entries) {
      const key = this.#rows.get(target);
      if (key === undefined) changed = true;
      else if (this.#heights.measure(key, borderBoxSize[0].blockSize)) changed = true;
    }
    if (!changed) return;
    this.#settle();
    // Rows drawn here would be observed too late for this frame.
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#redraw(false);
    });
  }

  /** Draws what should be drawn; `force` even if enough is. */
  #redraw(force: boolean): void {
    const { scroller } = this.options;
    const count = this.#heights.count;
    const view = scroller.clientHeight;
    const top = this.#wanted(view);
    const margin = force ? overscan : slack;
    const first = this.#heights.at(top - margin);
    const last = Math.min(count, this.#heights.at(top + view + margin) + 1);
    if (force || first < this.#start || last > this.#end || this.#end > count) {
      const start = this.#heights.at(top - overscan);
      const end = Math.min(count, this.#heights.at(top + view + overscan) + 1);
      this.#start = start;
      this.#end = end;
      this.options.draw(start, end);
      this.#measure();
    }
    this.#settle();
  }

  /** Where the top edge should be, from the first row's top. */
  #wanted(view: number): number {
    if (this.follow.on) return this.#heights.total - view;
    const index = this.#anchor ? this.#heights.indexOf(this.#anchor.key) : -1;
    const element = this.#anchor && this.#elements.get(this.#anchor.key);
    if (index >= 0 && !element) return this.#heights.top(index) - this.#anchor!.offset;
    if (index >= 0 && element) {
      const seen = this.options.scroller.getBoundingClientRect().top;
      return this.#heights.top(index) + (seen - element.getBoundingClientRect().top);
    }
    return this.options.scroller.scrollTop - this.#offset();
  }

  #measure(): void {
    for (const [element, key] of this.#rows) this.#heights.measure(key, element.getBoundingClientRect().height);
  }

  /** Sets the spacers and puts the reader where they should be. */
  #settle(): void {
    const { scroller, before, after } = this.options;
    before.style.height = `${this.#heights.top(Math.min(this.#start, this.#heights.count))}px`;
    after.style.height = `${this.#heights.total - this.#heights.top(Math.min(this.#end, this.#heights.count))}px`;
    if (this.follow.on) {
      this.#place(scroller.scrollHeight - scroller.clientHeight);
      return;
    }
    const anchor = this.#anchor;
    const element = anchor && (anchor.element.isConnected ? anchor.element : this.#elements.get(anchor.key));
    if (anchor && element) {
      const by = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - anchor.offset;
      if (Math.abs(by) >= 0.5) this.#place(scroller.scrollTop + by);
    }
    if (!anchor || !anchor.element.isConnected) this.#drop();
  }

  #place(top: number): void {
    const { scroller } = this.options;
    if (Math.abs(scroller.scrollTop - top) >= 0.5) scroller.scrollTop = top;
    this.follow.placed(scroller.scrollTop);
  }

  /** Drops the anchor at what now stands at the top edge. */
  #drop(): void {
    const edge = this.options.scroller.getBoundingClientRect().top;
    let found: Element | undefined;
    let key = '';
    for (let i = this.#start; i < this.#end && !found; i++) {
      const element = this.#elements.get(this.#heights.keys[i]);
      if (!element || element.getBoundingClientRect().bottom <= edge + 1) continue;
      found = element;
      key = this.#heights.keys[i];
    }
    if (!found) return void (this.#anchor = undefined);
    // Inward, while the element begins above the edge and a child of it ends below.
    for (let depth = 0; depth < 12 && found.getBoundingClientRect().top < edge; depth++) {
      const child = firstBelow(found, edge);
      if (!child) break;
      found = child;
    }
    this.#anchor = { key, element: found, offset: found.getBoundingClientRect().top - edge };
  }

  #offset(): number {
    const { scroller, before } = this.options;
    return before.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  }

  #setFollow(on: boolean): void {
    if (this.follow.on === on) return;
    this.follow.on = on;
    this.options.followed(on);
  }
}

function firstBelow(parent: Element, edge: number): Element | undefined {
  for (const child of parent.children) {
    const box = child.getBoundingClientRect();
    if (box.height > 0 && box.bottom > edge + 1) return child;
  }
  return undefined;
}
