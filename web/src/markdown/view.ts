import { spellMarks } from '../lib/visible';
import { Growing } from '../stream/growing';
import { Blocks, type Block } from './blocks';
import { highlight } from './highlight';
import { codeBlock, escapeHTML, renderBlock, sanitise, splitBlocks } from './render';

/** Blocks that stand together in one element, which may be taken out of the page while far from sight. */
const chunkSize = 32;
/** How much text one call takes in; the rest waits for the next frame. */
const gulp = 256 << 10;
/** A line too long for markdown is drawn up to here; a button draws more. */
const drawnLine = 8 << 10;
/** An endless fence is drawn from its end up to here while it is open. */
const drawnFence = 256 << 10;

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
    this.#drawSettled();
    if (drawTail || this.blocks.fence || this.blocks.long) this.#drawTail();
    return !all || this.blocks.pending;
  }

  /** The HTML of everything settled, chunks apart; for tests. */
  html(): string {
    return this.blocks.settled.map((block) => htmlOf(block, this.blocks)).join('');
  }

  destroy(): void {
    for (const chunk of this.#chunks) this.lazy?.unobserve(chunk.element);
    this.root.replaceChildren();
  }

  #restart(): void {
    this.destroy();
    const fresh = new MarkdownView(this.root, this.lazy);
    (this as { blocks: Blocks }).blocks = fresh.blocks;
    this.#tail = fresh.#tail;
    this.#taken = this.#drawnBlocks = 0;
    this.#chunks = [];
    this.#fence = undefined;
    this.#finished = false;
  }

  #drawSettled(): void {
    const { settled, stale } = this.blocks;
    for (const index of stale) {
      if (index < this.#drawnBlocks) this.#chunks[Math.floor(index / chunkSize)].redraw(index % chunkSize);
    }
    stale.clear();
    for (; this.#drawnBlocks < settled.length; this.#drawnBlocks++) {
      if (this.#drawnBlocks % chunkSize === 0) this.#addChunk();
      this.#chunks[this.#chunks.length - 1].add(settled[this.#drawnBlocks]);
    }
  }

  #addChunk(): void {
    const chunk = new Chunk(this.blocks);
    this.#tail.before(chunk.element);
    this.#chunks.push(chunk);
    chunks.set(chunk.element, chunk);
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

const chunks = new WeakMap<Element, Chunk>();

/** An observer that takes far chunks out of the page and puts near ones back. */
export function chunkObserver(scroller: Element): IntersectionObserver {
  return new IntersectionObserver(
    (entries) => {
      for (const entry of entries) chunks.get(entry.target)?.show(entry.isIntersecting);
    },
    { root: scroller, rootMargin: '1500px 0px' },
  );
}

class Chunk {
  readonly element = document.createElement('div');
  #blocks: Block[] = [];
  #shown = true;

  constructor(private readonly source: Blocks) {
    this.element.className = 'chunk';
  }

  add(block: Block): void {
    this.#blocks.push(block);
    if (this.#shown) this.element.append(this.#draw(block));
  }

  redraw(index: number): void {
    if (this.#shown) this.element.children[index]?.replaceWith(this.#draw(this.#blocks[index]));
  }

  show(near: boolean): void {
    // The last chunk still takes blocks, and a short one is not worth it.
    if (near === this.#shown || (!near && this.#blocks.length < chunkSize)) return;
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
    if (block.kind === 'plain') drawLong(element, block.raw);
    else element.innerHTML = htmlOf(block, this.source);
    const code = element.querySelector<HTMLElement>('pre[data-lang] > code');
    if (code) void highlight(code, code.parentElement!.dataset.lang!);
    return element;
  }
}

function htmlOf(block: Block, { definitions }: Blocks): string {
  if (block.kind === 'def') return '';
  if (block.kind === 'plain') return plainHTML(block.raw.slice(0, drawnLine), block.raw.length);
  return renderBlock(block.raw, definitions);
}

function plainHTML(head: string, length: number): string {
  const more = length > head.length ? ` <span class="more">${leftOut(length)}</span>` : '';
  return `<p dir="auto" class="plain">${escapeHTML(head)}${more}</p>`;
}

function leftOut(length: number): string {
  return `… ${(length - drawnLine).toLocaleString('en')} more characters`;
}

/** A line no page can lay out at once: its beginning, and more of it on request. */
function drawLong(element: HTMLElement, raw: string): void {
  const paragraph = document.createElement('p');
  paragraph.dir = 'auto';
  paragraph.className = 'plain';
  const button = document.createElement('button');
  button.className = 'quiet';
  let shown = 0;
  let presses = 0;
  const more = (): void => {
    paragraph.append(raw.slice(shown, shown + drawnLine * 2 ** presses));
    shown = Math.min(raw.length, shown + drawnLine * 2 ** presses);
    presses = Math.min(4, presses + 1);
    button.hidden = shown === raw.length;
    button.textContent = `Show more (${(raw.length - shown).toLocaleString('en')} characters left)`;
  };
  button.addEventListener('click', more);
  more();
  element.append(paragraph, button);
}

/** Renders a whole text at once, as {@link MarkdownView} ends. */
export function renderWhole(text: string): string {
  const blocks = new Blocks();
  blocks.feed(text);
  blocks.finish();
  return blocks.settled.map((block) => htmlOf(block, blocks)).join('');
}
