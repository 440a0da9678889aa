import { Connector, type Connection } from '../stream/client';
import { api, type Conversation } from './api';

/** The list of conversations, kept current. */
export class Library {
  conversations = $state.raw<Conversation[]>([]);
  connection = $state<Connection>('connecting');
  loaded = $state(false);

  #connector: Connector;
  #reading = false;

  constructor() {
    this.#connector = new Connector({
      url: () => '/v1/events',
      event: ({ event, data }) => {
        if (event === 'message') this.#change(data);
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
    return this.conversations.some(({ demo }) => demo);
  }

  async remove(id: string): Promise<void> {
    await api.remove(id);
    this.#drop((conversation) => conversation.id === id);
  }

  async removeDemos(): Promise<void> {
    await api.removeDemos();
    this.#drop(({ demo }) => demo);
  }

  retry(): void {
    this.#connector.reconnect();
  }

  close(): void {
    this.#connector.close();
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const response = await fetch('/v1/conversations', { credentials: 'same-origin', cache: 'no-store' });
      if (response.status === 401) this.connection = 'signed-out';
      if (!response.ok) return;
      const { conversations } = (await response.json()) as { conversations: Conversation[] | null };
      this.conversations = sorted(conversations ?? []);
      this.loaded = true;
    } catch {
      // The stream notices a dead server and asks again when it is back.
    } finally {
      this.#reading = false;
    }
  }

  #change(data: string): void {
    let change: { conversations?: Conversation[] | null; removed?: string[] | null };
    try {
      change = JSON.parse(data) as typeof change;
    } catch {
      return;
    }
    const changed = change.conversations ?? [];
    const gone = new Set([...(change.removed ?? []), ...changed.map(({ id }) => id)]);
    this.conversations = sorted([...this.conversations.filter(({ id }) => !gone.has(id)), ...changed]);
  }

  #drop(which: (conversation: Conversation) => boolean): void {
    this.conversations = this.conversations.filter((conversation) => !which(conversation));
  }
}

function sorted(conversations: Conversation[]): Conversation[] {
  return conversations.toSorted((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : a.id < b.id ? 1 : -1));
}
