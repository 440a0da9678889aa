/** How long a page may be hidden, in milliseconds, before it counts as unseen: a glance at another tab is shorter. */
const glance = 2_000;

/**
 * Whether anybody may see the page. A page left behind is unseen at once, a
 * hidden one after a while, one that begins hidden until it is shown. Where
 * there is no document, somebody always looks.
 */
export class Sight {
  #document: Document | undefined = globalThis.document;
  #seen = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `told` is called when the page is left, and each time somebody looks at it again. */
  constructor(private readonly told: () => void) {
    if (!this.#document) return;
    this.#seen = this.#visible;
    this.#document.addEventListener('visibilitychange', this.#look);
    globalThis.addEventListener?.('pageshow', this.#look);
    globalThis.addEventListener?.('pagehide', this.#left);
  }

  get seen(): boolean {
    return this.#seen;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#document?.removeEventListener('visibilitychange', this.#look);
    globalThis.removeEventListener?.('pageshow', this.#look);
    globalThis.removeEventListener?.('pagehide', this.#left);
  }

  get #visible(): boolean {
    return this.#document?.visibilityState !== 'hidden';
  }

  #look = (): void => {
    clearTimeout(this.#timer);
    if (this.#visible) this.#become(true);
    else this.#timer = setTimeout(this.#left, glance);
  };

  #left = (): void => {
    clearTimeout(this.#timer);
    this.#become(false);
  };

  #become(seen: boolean): void {
    if (!this.#seen && !seen) return;
    this.#seen = seen;
    this.told();
  }
}
