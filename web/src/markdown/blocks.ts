import { Growing } from '../stream/growing';
import { plain } from '../lib/visible';
import { splitBlocks, type Definitions } from './render';

/** A piece of markdown that no later text can change. */
export interface Block {
  /** `plain` is a line too long to be read as markdown; `def` draws nothing. */
  kind: 'markdown' | 'plain' | 'def';
  raw: string;
}

/** A code block whose fence is not closed yet: drawn by appending, never by parsing. */
export interface OpenFence {
  info: string;
  /** The opening line, its line end included. */
  opener: string;
  end: RegExp;
  /** The whole lines so far. */
  body: Growing;
}

/** A segment longer than this is ended at the next line that looks like a border … */
const softLimit = 8 << 10;
/** … and than this at the next line whatever it is, unless a fence is open. */
const hardLimit = 16 << 10;
/** A line longer than this is not markdown. */
const lineLimit = 16 << 10;
/** What one update may parse, on average: an open block longer than this waits a few updates. */
const allowance = 8 << 10;

const item = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const fenceLine = /^( *)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * Cuts growing markdown into settled blocks and a live tail. What is settled
 * depends on the text alone, never on how it was cut, so a streamed render
 * ends equal to a render of the whole. Work per update is bounded by the open
 * block: an open fence is only searched for its end, and everything else is
 * parsed from the start of the open block on.
 *
 * Only whole lines settle anything: "2" may yet become "2. an item".
 */
export class Blocks {
  readonly settled: Block[] = [];
  readonly definitions: Definitions = Object.create(null) as Definitions;
  /** Settled blocks to draw again, because a definition they name has come. */
  stale = new Set<number>();
  /** The open fence, if the open block is one. */
  fence: OpenFence | undefined;
  /** The open line, if it is too long to be markdown. */
  long: Growing | undefined;
  /** Whether there is text that {@link update} has put off. */
  pending = false;

  #heldCR = false;
  #lines = ''; // whole lines from the start of the open block
  #line = ''; // the line in the making
  #unparsed = false; // whether #lines grew since it was parsed
  #credit = 0;
  #segment = 0; // length of the segment so far; text alone decides where one ends
  #inFence: RegExp | undefined; // ends what looks like a fence; a guess from the lines alone
  #blankBefore = false;
  #references = new Map<string, Set<number>>();

  /** From the start of the open block to the end; empty while a fence or a long line is open. */
  get tail(): string {
    return this.fence || this.long ? '' : this.#lines + this.#line;
  }

  /** The line in the making. */
  get line(): string {
    return this.#line;
  }

  /** Takes more text. Little is parsed until {@link update}. */
  feed(text: string): void {
    if (text === '') return;
    if (this.#heldCR) text = '\r' + text;
    this.#heldCR = text.endsWith('\r');
    if (this.#heldCR) text = text.slice(0, -1);
    this.#add(plain(text));
  }

  /** Settles what can be and says whether the tail may be drawn now. Call it once a frame. */
  update(): boolean {
    const cost = (this.#unparsed ? this.#lines.length : 0) + this.tail.length;
    this.#credit += allowance;
    this.pending = this.#credit < cost;
    if (this.pending) return false;
    this.#credit = 0;
    if (this.#unparsed) this.#settle(this.#lines, false);
    return true;
  }

  /** Settles everything: no more text will come. */
  finish(): void {
    if (this.#heldCR) this.#add('\n');
    this.#heldCR = false;
    this.pending = false;
    if (this.long) this.#endLong('');
    else if (this.fence) this.#endFence(this.#line);
    else this.#settle(this.#lines + this.#line, true);
    this.#line = '';
  }

  #add(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#line + text.slice(start, end + 1);
      this.#line = '';
      start = end + 1;
      if (this.long) this.#endLong(line);
      else this.#take(line);
    }
    const rest = text.slice(start);
    if (this.long) this.long.append(rest);
    else this.#line += rest;
    if (!this.fence && this.#line.length > lineLimit) this.#startLong();
  }

  /** One whole line, its end included. */
  #take(line: string): void {
    const bare = line.slice(0, -1);
    if (!this.fence && this.#isBorder(bare)) this.#endSegment();
    if (!this.fence && bare.length > lineLimit) {
      this.#line = line;
      this.#startLong();
      return this.#endLong('');
    }
    this.#segment += line.length;
    this.#trackFence(bare);
    this.#blankBefore = bare.trim() === '';
    if (!this.fence) {
      this.#lines += line;
      this.#unparsed = true;
    } else if (this.fence.end.test(bare)) {
      this.#endFence(line);
    } else {
      this.fence.body.append(line);
    }
  }

  /** Whether a segment that has grown long ends before this line. */
  #isBorder(line: string): boolean {
    if (this.#segment <= softLimit) return false;
    const border = item.test(line) || (this.#blankBefore && /^\S/.test(line));
    if (this.#segment <= hardLimit && (this.#inFence || !border)) return false;
    // A fence may be as long as it likes, if it is one and not lines that look so.
    if (this.#unparsed) this.#settle(this.#lines, false);
    return !this.fence;
  }

  #endSegment(): void {
    this.#settle(this.#lines, true);
    this.#segment = 0;
    this.#inFence = undefined;
    this.#blankBefore = false;
  }

  #trackFence(line: string): void {
    if (this.#inFence) {
      if (this.#inFence.test(line)) this.#inFence = undefined;
      return;
    }
    const match = fenceLine.exec(line);
    if (!match) return;
    this.#inFence = closes(match[2], match[1] === '' ? 3 : undefined);
  }

  #endFence(closer: string): void {
    const { opener, body } = this.fence!;
    this.fence = undefined;
    this.#push({ kind: 'markdown', raw: opener + body + closer });
  }

  #startLong(): void {
    const line = this.#line;
    this.#endSegment();
    this.#line = '';
    this.long = new Growing(line);
  }

  #endLong(rest: string): void {
    this.long!.append(rest);
    this.#push({ kind: 'plain', raw: String(this.long) });
    this.long = undefined;
  }

  /** Parses text, whole lines from the open block's start on, and settles all of it or all but the open block. */
  #settle(text: string, all: boolean): void {
    const tokens = text === '' ? [] : splitBlocks(text);
    let last = tokens.length - 1;
    while (last >= 0 && tokens[last].type === 'space') last--;
    let end = 0;
    for (let i = 0; i < tokens.length; i++) {
      if (!all && i >= last && !isComplete(tokens[i])) break;
      if (tokens[i].type !== 'space') this.#push(blockOf(tokens[i]), tokens[i]);
      end += tokens[i].raw.length;
    }
    this.#lines = all ? '' : text.slice(end);
    this.#unparsed = false;
    if (!all && last >= 0 && this.#lines !== '') this.#openFence(tokens[last]);
  }

  /** Begins to append where the open block is a fence. */
  #openFence(token: { type: string; codeBlockStyle?: string }): void {
    if (token.type !== 'code' || token.codeBlockStyle === 'indented') return;
    const end = this.#lines.indexOf('\n');
    const match = fenceLine.exec(this.#lines.slice(0, Math.max(0, end)));
    if (match?.[1] !== '') return;
    this.fence = { opener: this.#lines.slice(0, end + 1), info: match[3], end: closes(match[2], 3), body: new Growing(this.#lines.slice(end + 1)) };
    this.#lines = '';
  }

  #push(block: Block, token?: { type: string; tag?: string; href?: string; title?: string }): void {
    const index = this.settled.push(block) - 1;
    if (token?.type === 'def' && token.tag !== undefined) {
      if (this.definitions[token.tag]) return;
      this.definitions[token.tag] = { href: token.href ?? '', title: token.title };
      for (const waiting of this.#references.get(token.tag) ?? []) this.stale.add(waiting);
      return;
    }
    if (block.kind !== 'markdown') return;
    for (const [, label] of block.raw.matchAll(/\[([^\[\]]{1,200})\]/g)) {
      const tag = label.toLowerCase().replace(/\s+/g, ' ');
      if (this.definitions[tag]) continue;
      let set = this.#references.get(tag);
      if (!set) this.#references.set(tag, (set = new Set()));
      set.add(index);
    }
  }
}

/** A block that its own last line ends: nothing after it can change it. */
function isComplete(token: { type: string; raw: string; codeBlockStyle?: string }): boolean {
  if (token.type === 'space') return false;
  if (token.type === 'heading') return /^ {0,3}#/.test(token.raw);
  if (token.type === 'hr') return true;
  if (token.type !== 'code' || token.codeBlockStyle === 'indented') return false;
  const lines = token.raw.trimEnd().split('\n');
  const marker = fenceLine.exec(lines[0])?.[2];
  return lines.length > 1 && marker !== undefined && closes(marker, 3).test(lines[lines.length - 1]);
}

/** The line that ends a fence opened by `marker`, indented by at most so much. */
function closes(marker: string, indent: number | undefined): RegExp {
  return new RegExp(`^ {0,${indent ?? ''}}${marker}[~\`]* *$`);
}

function blockOf(token: { type: string; raw: string }): Block {
  return { kind: token.type === 'def' ? 'def' : 'markdown', raw: token.raw };
}
