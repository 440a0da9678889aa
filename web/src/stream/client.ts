/**
 * The stream client of steno's view protocol. It holds a conversation as
 * ordered collections of slots, applies what the server says and folds
 * nothing. No dependencies; works in browsers and in Node 20.
 */
import { Connector, type Connection } from './connect';
import { Mismatch, State, type Changes, type Collection, type Op } from './state';

export { Growing } from './growing';
export { SSEReader, type SSEvent } from './sse';
export { Connector, type Connection, type ConnectOptions } from './connect';
export { Collection, Mismatch, Slot, State, type Changes, type Fields, type Op } from './state';

/** One publication: the JSON of an event's data. */
export interface Publication {
  ops: Op[];
  snapshot?: boolean;
  window?: { first: number; older: boolean };
}

export interface ViewOptions {
  /** What stands before `/v1/…`; empty for the page's own origin. */
  base?: string;
  /** A bearer token, where no cookie signs in. */
  token?: string;
  /** How many of the newest turns to ask for. */
  window?: number;
  fetch?: typeof fetch;
  /** Runs its argument soon, once: a frame. By default the next animation frame, or a timer where none comes. */
  schedule?: (run: () => void) => void;
}

/** Counts for tests and the curious. */
export interface Stats {
  events: number;
  snapshots: number;
  mismatches: number;
  resyncs: number;
  frames: number;
}

/** Where older turns come from and whether there are any. */
export interface Window {
  first: number;
  older: boolean;
}

const windowDefault = 20;
const windowMost = 200;
/** How long older turns may take to come, in milliseconds. */
const pageWait = 15_000;

/**
 * A live view of one conversation.
 *
 * Concurrency: one thread, as JavaScript is. Delivery: state is changed when
 * an event arrives; subscribers of slots, collections and the view are told
 * once per frame, in that order. A view that was behind is told of the result
 * only, never of each step.
 */
export class View {
  readonly state = new State();
  readonly stats: Stats = { events: 0, snapshots: 0, mismatches: 0, resyncs: 0, frames: 0 };
  running = false;
  window: Window = { first: 0, older: false };

  #connector: Connector;
  #cursor = '';
  #stale = true;
  #scheduled = false;
  #closed = false;
  #asked: ReturnType<typeof setTimeout> | undefined;
  #loading: Promise<boolean> | undefined;
  #listeners = new Set<(changes: Changes) => void>();

  constructor(
    readonly id: string,
    private readonly options: ViewOptions = {},
  ) {
    this.#connector = new Connector({
      url: () => `${this.#path()}/view?window=${this.#turns()}`,
      headers: () => this.#headers(),
      event: ({ event, data, id, ownId }) => {
        if (event === 'status') this.#status(data);
        else if (event === 'message') this.#receive(data, ownId ? id : '');
      },
      state: () => this.#schedule(),
      fetch: options.fetch,
    });
  }

  /** How the stream stands. */
  get connection(): Connection {
    return this.#connector.state;
  }

  /** `branch:seq` of the last event applied; empty before the first. */
  get cursor(): string {
    return this.#cursor;
  }

  /** Whether a snapshot was applied and nothing has contradicted it since. */
  get ready(): boolean {
    return !this.#stale;
  }

  collection(name: string): Collection {
    return this.state.collection(name);
  }

  /** Calls `listener` once per frame in which anything changed, the connection and status included. */
  subscribe(listener: (changes: Changes) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets the cursor and reads the snapshot again. What is shown stays until it comes. */
  resync(): void {
    this.stats.resyncs++;
    this.#stale = true;
    this.#cursor = '';
    this.#connector.reconnect();
  }

  /** Tries at once where a retry is pending. */
  retry(): void {
    this.#connector.reconnect();
  }

  /** Loads the turn before the window. False if there is none or it could not be had now. */
  loadEarlier(): Promise<boolean> {
    return (this.#loading ??= this.#page().finally(() => (this.#loading = undefined)));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#asked);
    this.#connector.close();
  }

  async #page(): Promise<boolean> {
    if (!this.window.older || this.#stale) return false;
    const turn = this.window.first - 1;
    const get = this.options.fetch ?? globalThis.fetch;
    const { 'Last-Event-ID': _, ...headers } = this.#headers();
    const response = await get(`${this.#path()}/pages/${turn}`, { headers, credentials: 'same-origin', signal: AbortSignal.timeout(pageWait) }).catch(() => undefined);
    if (response?.status === 404) {
      this.window = { first: this.window.first, older: false };
      this.#schedule();
    }
    if (!response?.ok) return false;
    const page = (await response.json().catch(() => undefined)) as Publication | undefined;
    if (!page) return false;
    if (this.#closed || this.#stale || this.window.first - 1 !== turn) return false;
    this.state.prepend(page.ops);
    this.window = { first: turn, older: page.window?.older ?? turn > 1 };
    this.#schedule();
    return true;
  }

  #receive(data: string, id: string): void {
    let publication: Publication;
    try {
      publication = JSON.parse(data) as Publication;
      if (!Array.isArray(publication.ops)) throw new Mismatch('no ops');
      this.#apply(publication, id);
    } catch {
      // Whatever does not parse or does not fit has one cure.
      this.stats.mismatches++;
      this.resync();
      return;
    }
    this.stats.events++;
    this.#schedule();
  }

  #apply(publication: Publication, id: string): void {
    if (publication.snapshot) {
      clearTimeout(this.#asked);
      this.state.reset(publication.ops);
      this.window = { first: publication.window?.first ?? 0, older: publication.window?.older ?? false };
      this.#stale = false;
      this.stats.snapshots++;
    } else if (publication.ops.some(({ op }) => op === 'resync')) {
      // The snapshot usually follows on the same stream; ask for it if not.
      this.#stale = true;
      this.#cursor = '';
      clearTimeout(this.#asked);
      this.#asked = setTimeout(() => this.resync(), 1000);
      return;
    } else if (this.#stale) {
      return;
    } else {
      this.state.apply(publication.ops);
    }
    if (id) this.#cursor = id;
  }

  #status(data: string): void {
    try {
      this.running = (JSON.parse(data) as { running?: unknown }).running === true;
    } catch {
      return;
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    (this.options.schedule ?? nextFrame)(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      this.stats.frames++;
      const changes = this.state.flush();
      for (const listener of [...this.#listeners]) listener(changes);
    });
  }

  #path(): string {
    return `${this.options.base ?? ''}/v1/conversations/${encodeURIComponent(this.id)}`;
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.options.token) headers.Authorization = `Bearer ${this.options.token}`;
    if (this.#cursor) headers['Last-Event-ID'] = this.#cursor;
    return headers;
  }

  /** A snapshot read again should hold the turns the reader already has. */
  #turns(): number {
    const wanted = this.options.window ?? windowDefault;
    if (this.window.first === 0) return wanted;
    let newest = this.window.first;
    for (const { node } of this.state.collection('messages').slots) newest = Math.max(newest, Number(node.turn) || 0);
    return Math.min(windowMost, Math.max(wanted, newest - this.window.first + 1));
  }
}

/** The next animation frame; a timer where the page is hidden and frames do not come. */
function nextFrame(run: () => void): void {
  if (typeof requestAnimationFrame !== 'function' || globalThis.document?.visibilityState === 'hidden') {
    setTimeout(run, 16);
    return;
  }
  let ran = false;
  const once = (): void => {
    if (ran) return;
    ran = true;
    clearTimeout(timer);
    run();
  };
  const timer = setTimeout(once, 500);
  requestAnimationFrame(once);
}
