/** Which conversation the address names; none on the front page. */
class Router {
  conversation = $state<string | undefined>(read());

  constructor() {
    addEventListener('popstate', () => (this.conversation = read()));
  }

  href(id?: string): string {
    return (id === undefined ? '/' : `/c/${encodeURIComponent(id)}`) + location.search;
  }

  go(id?: string): void {
    if (id !== this.conversation) history.pushState(null, '', this.href(id));
    this.conversation = id;
  }
}

function read(): string | undefined {
  const match = /^\/c\/([^/]+)\/?$/.exec(location.pathname);
  try {
    return match ? decodeURIComponent(match[1]) : undefined;
  } catch {
    return undefined;
  }
}

export const router = new Router();
