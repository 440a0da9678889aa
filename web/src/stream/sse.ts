/** One server-sent event, or a change of the reconnection delay. */
export interface SSEvent {
  event: string;
  data: string;
  /** The id in force after this event; empty if none was ever given. */
  id: string;
  /** Whether this very event carried an id field. */
  ownId: boolean;
}

/**
 * A reader of `text/event-stream` bytes, cut anywhere. It follows the WHATWG
 * rules: lines end in LF, CR or CRLF, a blank line dispatches, an unfinished
 * event at the end of the stream is dropped. Work is linear in the bytes
 * however they are cut.
 */
export class SSEReader {
  #decoder = new TextDecoder('utf-8');
  #line: string[] = [];
  #afterCR = false;
  #data: string[] = [];
  #event = '';
  #id = '';
  #ownId = false;

  constructor(
    private readonly dispatch: (event: SSEvent) => void,
    private readonly retry: (milliseconds: number) => void = () => {},
  ) {}

  push(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    if (this.#afterCR && text.length > 0) {
      this.#afterCR = false;
      if (text.charCodeAt(0) === 10) start = 1;
    }
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = start;
    for (let match = ends.exec(text); match; match = ends.exec(text)) {
      this.#line.push(text.slice(start, match.index));
      start = ends.lastIndex;
      const line = this.#line.length === 1 ? this.#line[0] : this.#line.join('');
      this.#line = [];
      this.#afterCR = match[0] === '\r' && start === text.length;
      this.#take(line);
    }
    if (start < text.length) this.#line.push(text.slice(start));
  }

  #take(line: string): void {
    if (line === '') return this.#flush();
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) {
      this.#id = value;
      this.#ownId = true;
    } else if (field === 'retry' && /^\d+$/.test(value)) this.retry(Number(value));
  }

  #flush(): void {
    const data = this.#data;
    const event = this.#event;
    const ownId = this.#ownId;
    this.#data = [];
    this.#event = '';
    this.#ownId = false;
    if (data.length === 0) return;
    this.dispatch({ event: event || 'message', data: data.join('\n'), id: this.#id, ownId });
  }
}
