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

/** An answer the server refused, in its own words where it has any. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
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
  scripts: async (): Promise<Script[]> => (await call<Script[] | null>('GET', '/v1/play')) ?? [],
  play: async (script: string, speed: number): Promise<string> =>
    (await call<Conversation>('POST', '/v1/play', { names: [script], speed })).id,
  remove: (id: string): Promise<void> => call('DELETE', `/v1/conversations/${encodeURIComponent(id)}`),
  removeDemos: (): Promise<void> => call('DELETE', '/v1/demos'),
};

export function blobURL(hash: unknown): string | undefined {
  return typeof hash === 'string' && /^[\w:.-]{1,200}$/.test(hash) ? `/v1/blobs/${encodeURIComponent(hash)}` : undefined;
}
