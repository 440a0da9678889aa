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
      this.conversations = sorted(((await response.json()) as Conversation[] | null) ?? []);
      this.loaded = true;
    } catch {
      // The stream notices a dead server and asks again when it is back.
    } finally {
      this.#reading = false;
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
