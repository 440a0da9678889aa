import { spellMarks } from '../lib/visible';
import { Growing } from '../stream/growing';
import { Blocks, type Block } from './blocks';
import { highlight } from './highlight';
import { codeBlock, escapeHTML, renderBlock, sanitise, splitBlocks } from './render';

/** So many blocks, or so much text, stand in one element, which is emptied while far from sight … */
const chunkSize = 32;
const chunkText = 16 << 10;
/** … and chunks that do, so that even a million blocks are few elements. */
const sectionSize = 64;
/** How much text one call takes in; the rest waits for the next frame. */
const gulp = 64 << 10;
/** Text that comes at once beyond this is drawn where the reader is near, not all at once. */
const bulk = 16 << 10;
/** A line too long for markdown is drawn up to here; a button draws more. */
const drawnLine = 8 << 10;
/** A fence is drawn up to here, from its end while it is open; a button draws more. */
const drawnFence = 64 << 10;

/**
 * Draws growing markdown into an element: settled blocks once, the open block
 * again per frame, an open fence by appending to its text.
 */
export class MarkdownView {
  readonly blocks = new Blocks();
  #source: string | Growing | undefined;
  #taken = 0;
  #drawnBlocks = 0;
  #chunks: Chunk[] = [];
  #chunkOf: number[] = []; // by block
  #sections: Section[] = [];
  #tail: HTMLElement;
  #fence: { body: Growing; text: Text; length: number } | undefined;
  #long: Growing | undefined;
  #final = false;
  #finished = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly lazy?: IntersectionObserver,
  ) {
    this.#tail = document.createElement('div');
    this.#tail.className = 'tail';
    root.append(this.#tail);
  }

  /**
   * Draws `text`; `final` says no more will come. A {@link Growing} goes on from
   * what was drawn, another string starts anew. Returns whether there is more to do in a later frame.
   */
  update(text: string | Growing, final: boolean): boolean {
    const replaced = this.#source !== undefined && this.#source !== text && typeof text === 'string';
    if (this.#finished && !replaced && text.length === this.#taken) return false;
    if (this.#finished || replaced || text.length < this.#taken) this.#restart();
    this.#source = text;
    this.#final = final;
    const fresh = text instanceof Growing ? text.since(this.#taken) : text.slice(this.#taken);
    this.blocks.feed(fresh.slice(0, gulp));
    this.#taken += Math.min(gulp, fresh.length);
    const all = this.#taken === text.length;
    if (all && final) {
      this.blocks.finish();
      this.#finished = true;
    }
    const drawTail = this.#finished || this.blocks.update();
    this.#drawSettled(fresh.length > bulk);
    if (drawTail || this.blocks.fence || this.blocks.long) this.#drawTail();
    return !all || this.blocks.pending;
  }

  /** The HTML of everything settled, chunks apart; for tests. */
  html(): string {
    return this.blocks.settled.map((block) => htmlOf(block, this.blocks)).join('');
  }

  destroy(): void {
    for (const { element } of [...this.#chunks, ...this.#sections]) this.lazy?.unobserve(element);
    this.root.replaceChildren();
  }

  #restart(): void {
    this.destroy();
    const fresh = new MarkdownView(this.root, this.lazy);
    (this as { blocks: Blocks }).blocks = fresh.blocks;
    this.#tail = fresh.#tail;
    this.#taken = this.#drawnBlocks = 0;
    this.#chunks = [];
    this.#chunkOf = [];
    this.#sections = [];
    this.#fence = undefined;
    this.#finished = false;
  }

  #drawSettled(bulky: boolean): void {
    const { settled, stale } = this.blocks;
    for (const index of stale) {
      if (index < this.#drawnBlocks) this.#chunks[this.#chunkOf[index]].redraw(index);
    }
    stale.clear();
    for (; this.#drawnBlocks < settled.length; this.#drawnBlocks++) {
      if (this.#chunks.at(-1)?.full !== false) this.#addChunk(bulky && this.lazy !== undefined);
      this.#chunkOf.push(this.#chunks.length - 1);
      this.#chunks[this.#chunks.length - 1].add(settled[this.#drawnBlocks]);
    }
  }

  #addChunk(far: boolean): void {
    if (this.#chunks.length % sectionSize === 0) {
      const section = new Section();
      this.#tail.before(section.element);
      this.#sections.push(section);
      this.lazy?.observe(section.element);
    }
    const chunk = new Chunk(this.blocks, this.#drawnBlocks, !far);
    this.#sections[this.#sections.length - 1].add(chunk);
    this.#chunks.push(chunk);
    this.lazy?.observe(chunk.element);
  }

  #drawTail(): void {
    const { fence, long, line } = this.blocks;
    if (fence) return this.#drawFence();
    this.#fence = undefined;
    if (!long) this.#long = undefined;
    if (long) {
      if (this.#long !== long) this.#tail.innerHTML = plainHTML(long.head(drawnLine), long.length);
      else this.#tail.querySelector('.more')?.replaceChildren(leftOut(long.length));
      this.#long = long;
      return;
    }
    let tail = this.blocks.tail;
    // A line that is only the beginning of a mark shows nothing yet.
    if (!this.#final && /^ {0,3}(?:[`~]{1,}|[-=_*#>|+]+|\d+[.)])\s*$/.test(line)) tail = tail.slice(0, tail.length - line.length);
    const html = tail.trim() === '' ? '' : splitBlocks(tail).map((token) => renderBlock(token.raw, this.blocks.definitions)).join('');
    this.#tail.innerHTML = html;
  }

  #drawFence(): void {
    const { fence, line } = this.blocks;
    if (!fence) return;
    if (!this.#fence || this.#fence.body !== fence.body) {
      this.#tail.innerHTML = sanitise(codeBlock('', fence.info));
      const text = document.createTextNode('');
      const open = document.createTextNode('');
      this.#tail.querySelector('code')!.append(text, open);
      this.#fence = { body: fence.body, text, length: 0 };
    }
    const shown = this.#fence;
    // Far down an endless fence only its end is drawn until it settles.
    const fresh = fence.body.since(shown.length);
    shown.length = fence.body.length;
    shown.text.appendData(spellMarks(fresh));
    if (shown.text.length > 2 * drawnFence) shown.text.deleteData(0, shown.text.length - drawnFence);
    (shown.text.nextSibling as Text).data = spellMarks(line.slice(-drawnFence));
  }
}

const emptied = new WeakMap<Element, { show(near: boolean): void }>();

/** An observer that empties what is far from sight and fills it again when it comes near. */
export function farObserver(scroller: Element): IntersectionObserver {
  return new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.target.isConnected) emptied.get(entry.target)?.show(entry.isIntersecting);
    },
    { root: scroller, rootMargin: '1500px 0px' },
  );
}

/** Chunks that leave the page together. */
class Section {
  readonly element = document.createElement('div');
  #chunks: Chunk[] = [];
  #shown = true;

  constructor() {
    this.element.className = 'section';
    emptied.set(this.element, this);
  }

  add(chunk: Chunk): void {
    this.#chunks.push(chunk);
    if (!this.#shown) this.show(true);
    else this.element.append(chunk.element);
  }

  show(near: boolean): void {
    if (near === this.#shown || (!near && this.#chunks.length < sectionSize)) return;
    this.#shown = near;
    this.element.style.height = near ? '' : `${this.element.offsetHeight}px`;
    this.element.replaceChildren(...(near ? this.#chunks.map(({ element }) => element) : []));
  }
}

class Chunk {
  readonly element = document.createElement('div');
  #blocks: Block[] = [];
  #shown: boolean;
  #guess = 0; // height before it was ever drawn
  #length = 0;

  constructor(
    private readonly source: Blocks,
    /** The index of its first block. */
    private readonly first: number,
    shown: boolean,
  ) {
    this.#shown = shown;
    this.element.className = 'chunk';
    emptied.set(this.element, this);
  }

  /** Whether the next block belongs elsewhere. */
  get full(): boolean {
    return this.#blocks.length >= chunkSize || this.#length >= chunkText;
  }

  add(block: Block): void {
    this.#blocks.push(block);
    this.#length += block.raw.length;
    if (this.#shown) {
      this.element.append(this.#draw(block));
      return;
    }
    this.#guess += guessHeight(block);
    this.element.style.height = `${this.#guess}px`;
  }

  redraw(index: number): void {
    const at = index - this.first;
    if (this.#shown) this.element.children[at]?.replaceWith(this.#draw(this.#blocks[at]));
  }

  show(near: boolean): void {
    // The last chunk still takes blocks, and a short one is not worth it.
    if (near === this.#shown || (!near && !this.full)) return;
    this.#shown = near;
    if (near) {
      this.element.append(...this.#blocks.map((block) => this.#draw(block)));
      this.element.style.height = '';
    } else {
      this.element.style.height = `${this.element.offsetHeight}px`;
      this.element.replaceChildren();
    }
  }

  #draw(block: Block): HTMLElement {
    const element = document.createElement('div');
    element.className = 'block';
    if (block.kind === 'plain') {
      element.innerHTML = plainHTML(block.raw.slice(0, drawnLine), drawnLine);
      drawOnRequest(element, element.querySelector('p')!, block.raw.slice(drawnLine), drawnLine);
      return element;
    }
    element.innerHTML = htmlOf(block, this.source);
    if (block.raw.length > drawnFence) {
      drawOnRequest(element, element.querySelector('code') ?? element, restOfFence(block.raw), drawnFence);
      return element;
    }
    const code = element.querySelector<HTMLElement>('pre[data-lang] > code');
    if (code) void highlight(code, code.parentElement!.dataset.lang!);
    return element;
  }
}

/** About how high a block will be, in pixels; what it is shows when it is drawn. */
function guessHeight({ kind, raw }: Block): number {
  if (kind === 'def') return 0;
  const lines = kind === 'plain' ? drawnLine / 80 : raw.length / 80 + raw.split('\n').length / 2;
  return Math.min(600, 12 + 26 * Math.ceil(lines));
}

function htmlOf(block: Block, { definitions }: Blocks): string {
  if (block.kind === 'def') return '';
  if (block.kind === 'plain') return plainHTML(block.raw.slice(0, drawnLine), block.raw.length);
  // Only a fence can be so long.
  return renderBlock(block.raw.slice(0, drawnFence), definitions);
}

function plainHTML(head: string, length: number): string {
  const more = length > head.length ? ` <span class="more">${leftOut(length)}</span>` : '';
  return `<p dir="auto" class="plain">${escapeHTML(head)}${more}</p>`;
}

function leftOut(length: number): string {
  return `… ${(length - drawnLine).toLocaleString('en')} more characters`;
}

/** Adds `rest` to `target` in steps, each on request: more than a page could lay out at once. */
function drawOnRequest(element: HTMLElement, target: HTMLElement, rest: string, step: number): void {
  if (rest === '') return;
  const button = document.createElement('button');
  button.className = 'quiet';
  let drawn = 0;
  const label = (): void => {
    button.hidden = drawn >= rest.length;
    button.textContent = `Show more (${(rest.length - drawn).toLocaleString('en')} characters left)`;
  };
  button.addEventListener('click', () => {
    target.append(spellMarks(rest.slice(drawn, drawn + step)));
    drawn += step;
    step = Math.min(2 * step, 128 << 10);
    label();
  });
  label();
  element.append(button);
}

/** What a long fence holds beyond what is drawn at first, its closing line left out. */
function restOfFence(raw: string): string {
  const closer = /\n {0,3}(?:`{3,}|~{3,})[`~]* *\n*$/.exec(raw.slice(-256));
  return raw.slice(drawnFence, closer ? raw.length - (256 - closer.index - 1) : undefined);
}

/** Renders a whole text at once, as {@link MarkdownView} ends. */
export function renderWhole(text: string): string {
  const blocks = new Blocks();
  blocks.feed(text);
  blocks.finish();
  return blocks.settled.map((block) => htmlOf(block, blocks)).join('');
}
