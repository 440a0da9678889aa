export interface Conversation {
  id: string;
  title: string;
  demo: boolean;
  running: boolean;
  turns: number;
  created: string;
  updated: string;
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
  const body = (await response.json().catch(() => ({}))) as { error?: unknown; message?: unknown };
  const nested = body.error as { message?: unknown } | undefined;
  for (const words of [nested?.message, body.message, body.error]) if (typeof words === 'string') return words;
  return `The server answered ${response.status}.`;
}

export const api = {
  scripts: async (): Promise<Script[]> => (await call<{ scripts: Script[] }>('GET', '/v1/play')).scripts ?? [],
  play: async (script: string, speed: number): Promise<string> =>
    (await call<{ conversation: string }>('POST', '/v1/play', { script, speed })).conversation,
  remove: (id: string): Promise<void> => call('DELETE', `/v1/conversations/${encodeURIComponent(id)}`),
  removeDemos: (): Promise<void> => call('DELETE', '/v1/demos'),
};

export function blobURL(hash: unknown): string | undefined {
  return typeof hash === 'string' && /^[\w:.-]{1,200}$/.test(hash) ? `/v1/blobs/${encodeURIComponent(hash)}` : undefined;
}
