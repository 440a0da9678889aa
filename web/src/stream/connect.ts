import { Sight } from './sight';
import { SSEReader, type SSEvent } from './sse';

/**
 * How a stream stands: `connecting` for the first time, `live`, `retrying`
 * after it broke, `paused` while nobody sees the page, `signed-out` (401),
 * `missing` (404, 410), `closed` by us.
 */
export type Connection = 'connecting' | 'live' | 'retrying' | 'paused' | 'signed-out' | 'missing' | 'closed';

export interface ConnectOptions {
  /** The address of the next attempt. */
  url: () => string;
  /** Headers of the next attempt; `Last-Event-ID` and `Authorization` go here. */
  headers?: () => Record<string, string>;
  event: (event: SSEvent) => void;
  state: (state: Connection) => void;
  fetch?: typeof fetch;
  /** The longest silence in milliseconds before the stream counts as dead; the server speaks every 15 s. */
  silence?: number;
  /** The longest wait in milliseconds for the answer to begin; the server begins at once. */
  answer?: number;
}

const firstDelay = 250;
const longestDelay = 10_000;

/**
 * Keeps one event stream open until closed, with growing pauses between
 * failures. It uses fetch, not EventSource: EventSource cannot send a bearer
 * token, cannot tell a 401 from a broken line, and picks its own pauses.
 *
 * In a page it holds a connection only while somebody may see the page, as
 * browsers have six for a server and all tabs share them; a page kept for the
 * way back would hold its own as well. Seen again, the stream is taken up where
 * `headers` says.
 */
export class Connector {
  #abort = new AbortController();
  #closed = false;
  #failures = 0;
  #base = firstDelay;
  #wake: (() => void) | undefined;
  #state: Connection = 'connecting';
  #sight = new Sight(() => this.#look());

  constructor(private readonly options: ConnectOptions) {
    globalThis.addEventListener?.('online', this.#hurry);
    void this.#run();
  }

  get state(): Connection {
    return this.#state;
  }

  /** Breaks the stream, if any, and connects again at once. */
  reconnect(): void {
    this.#abort.abort();
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    globalThis.removeEventListener?.('online', this.#hurry);
    this.#sight.close();
    this.reconnect();
    this.#enter('closed');
  }

  #hurry = (): void => this.#wake?.();

  #look(): void {
    if (this.#sight.seen) this.#hurry();
    else this.reconnect(); // and wait there until it is seen
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      if (!this.#sight.seen) {
        if (this.#state === 'live' || this.#state === 'retrying') this.#enter('paused');
        await this.#pause(Infinity);
        continue;
      }
      this.#abort = new AbortController();
      const outcome = await this.#once(this.#abort.signal);
      if (this.#closed) return;
      if (outcome === 'signed-out' || outcome === 'missing') {
        this.#enter(outcome);
        await this.#pause(Infinity);
      } else if (outcome === 'broken') {
        this.#enter('retrying');
        const pause = Math.min(longestDelay, this.#base * 2 ** this.#failures++);
        await this.#pause(pause * (0.75 + Math.random() / 2));
      }
    }
  }

  async #once(signal: AbortSignal): Promise<'signed-out' | 'missing' | 'broken' | 'again'> {
    let watch: ReturnType<typeof setTimeout> | undefined;
    const within = (milliseconds: number): void => {
      clearTimeout(watch);
      watch = setTimeout(() => this.#abort.abort('silent'), milliseconds);
    };
    const alive = (): void => within(this.options.silence ?? 45_000);
    const ended = (): 'again' | 'broken' => (signal.aborted && signal.reason !== 'silent' ? 'again' : 'broken');
    try {
      within(this.options.answer ?? 15_000);
      const get = this.options.fetch ?? globalThis.fetch;
      const response = await get(this.options.url(), {
        headers: { Accept: 'text/event-stream', ...this.options.headers?.() },
        cache: 'no-store',
        credentials: 'same-origin',
        signal,
      });
      if (response.status === 401 || response.status === 403) return 'signed-out';
      if (response.status === 404 || response.status === 410) return 'missing';
      if (!response.ok || !response.body) return 'broken';
      alive();
      await this.#read(response.body.getReader(), alive);
      return ended();
    } catch {
      return ended();
    } finally {
      clearTimeout(watch);
    }
  }

  async #read(body: ReadableStreamDefaultReader<Uint8Array>, alive: () => void): Promise<void> {
    const reader = new SSEReader(
      (event) => {
        this.#failures = 0;
        this.options.event(event);
      },
      (milliseconds) => (this.#base = Math.min(longestDelay, Math.max(50, milliseconds))),
    );
    for (;;) {
      const { done, value } = await body.read();
      if (done) return;
      if (this.#abort.signal.aborted) return void body.cancel().catch(() => {});
      this.#enter('live');
      alive();
      reader.push(value);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = milliseconds === Infinity ? undefined : setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).then(() => void (this.#wake = undefined));
  }

  #enter(state: Connection): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.options.state(state);
  }
}
