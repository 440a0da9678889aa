import { Connector, type Connection } from '../stream/client';
import { api, Refused, type Conversation } from './api';

/** How long after a failure the list is read again, in milliseconds. */
const again = 5_000;

/**
 * The list of conversations. It is read at once and kept current from
 * {@link follow} on: the conversation somebody came for connects first. Its
 * connection is `missing` where the server has no list.
 */
export class Library {
  conversations = $state.raw<Conversation[]>([]);
  connection = $state<Connection>('connecting');
  loaded = $state(false);
  /** Why the list could not be read, for people; empty if it could. */
  failure = $state('');

  #connector: Connector | undefined;
  #reading = false;
  #outdated = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    void this.#read();
  }

  /** Keeps the list current from now on. More calls change nothing. */
  follow(): void {
    if (this.#connector || this.connection === 'missing') return;
    this.#connector = new Connector({
      url: () => '/v1/events',
      event: ({ event, data }) => {
        if (event === 'changed' || event === 'deleted') this.#change(event, data);
      },
      state: (state) => {
        this.connection = state;
        // Changes made while the stream was down are not told again.
        if (state === 'live') void this.#read();
      },
    });
  }

  find(id: string): Conversation | undefined {
    return this.conversations.find((conversation) => conversation.id === id);
  }

  get hasDemos(): boolean {
    return this.conversations.some(({ demo }) => demo === true);
  }

  async remove(id: string): Promise<void> {
    await api.remove(id);
    this.#drop((conversation) => conversation.id === id);
  }

  async removeDemos(): Promise<void> {
    await api.removeDemos();
    this.#drop(({ demo }) => demo === true);
  }

  retry(): void {
    void this.#read();
    if (this.#connector) this.#connector.reconnect();
    else this.follow();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed = true;
    this.#connector?.close();
  }

  async #read(): Promise<void> {
    // An answer under way may be older than what made this call.
    this.#outdated = this.#reading;
    if (this.#reading) return;
    this.#reading = true;
    clearTimeout(this.#timer);
    try {
      this.conversations = sorted(await api.list());
      this.loaded = true;
      this.failure = '';
      if (this.connection === 'signed-out') this.connection = this.#connector?.state ?? 'connecting';
    } catch (error) {
      const status = error instanceof Refused ? error.status : undefined;
      if (status === 401) this.connection = 'signed-out';
      else if (status === 404) this.connection = 'missing';
      else {
        this.failure = error instanceof Error ? error.message : String(error);
        if (!this.#closed) this.#timer = setTimeout(() => void this.#read(), again);
      }
    } finally {
      this.#reading = false;
      if (this.#outdated) void this.#read();
    }
  }

  #change(event: string, data: string): void {
    let change: { id: string; conversation?: Conversation };
    try {
      change = JSON.parse(data) as typeof change;
    } catch {
      return;
    }
    const others = this.conversations.filter(({ id }) => id !== change.id);
    const now = event === 'changed' ? change.conversation : undefined;
    this.conversations = sorted(now ? [...others, now] : others);
  }

  #drop(which: (conversation: Conversation) => boolean): void {
    this.conversations = this.conversations.filter((conversation) => !which(conversation));
  }
}

function sorted(conversations: Conversation[]): Conversation[] {
  return conversations.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1));
}
