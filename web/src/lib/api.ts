export interface Conversation {
  id: string;
  title: string;
  demo?: boolean;
  running?: boolean;
  turns?: number;
  /** In milliseconds since the Unix epoch. */
  created: number;
  updated: number;
}

export interface Script {
  name: string;
  title: string;
  about: string;
}

/** An answer the server refused, in its own words where it has any; status 0 if none came. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * How long an answer may take, in milliseconds, and how often it is asked for.
 * Browsers queue requests behind the streams of all tabs, without end. What
 * changes something is asked once, and may take longer.
 */
const reading = { wait: 10_000, attempts: 3 };
const changing = { wait: 30_000, attempts: 1 };

async function ask(path: string, init: RequestInit): Promise<Response> {
  const { wait, attempts } = init.method === undefined ? reading : changing;
  for (let left = attempts; ; ) {
    try {
      return await fetch(path, { ...init, credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(wait) });
    } catch {
      if (--left > 0) continue;
      throw new Refused(0, 'The server does not answer. If many windows show it, close some and try again.');
    }
  }
}

async function call<T>(path: string, method?: string, body?: unknown): Promise<T> {
  const response = await ask(path, {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return (response.status === 204 ? undefined : await response.json().catch(() => undefined)) as T;
}

async function reason(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: { what?: unknown; do?: unknown } };
  const words = [body.error?.what, body.error?.do].filter((part) => typeof part === 'string');
  if (words.length > 0) return words.join(' ');
  return `The server answered ${response.status}.`;
}

export const api = {
  list: async (): Promise<Conversation[]> => (await call<Conversation[] | null>('/v1/conversations')) ?? [],
  scripts: async (): Promise<Script[]> => (await call<Script[] | null>('/v1/play')) ?? [],
  play: async (script: string, speed: number): Promise<string> =>
    (await call<Conversation>('/v1/play', 'POST', { names: [script], speed })).id,
  remove: (id: string): Promise<void> => call(`/v1/conversations/${encodeURIComponent(id)}`, 'DELETE'),
  removeDemos: (): Promise<void> => call('/v1/demos', 'DELETE'),
};

export function blobURL(hash: unknown): string | undefined {
  return typeof hash === 'string' && /^[\w:.-]{1,200}$/.test(hash) ? `/v1/blobs/${encodeURIComponent(hash)}` : undefined;
}
