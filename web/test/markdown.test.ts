import { describe, expect, test } from 'vitest';
import { Blocks } from '../src/markdown/blocks';
import { work } from '../src/markdown/render';
import { MarkdownView, renderWhole } from '../src/markdown/view';
import { Growing } from '../src/stream/client';
import { cut, random } from './random';

interface Streamed {
  view: MarkdownView;
  root: HTMLElement;
  text: Growing;
  push(piece: string): void;
  finish(): void;
}

function streamed(): Streamed {
  const root = document.createElement('div');
  const view = new MarkdownView(root);
  const text = new Growing();
  return {
    view,
    root,
    text,
    push: (piece) => (text.append(piece), void view.update(text, false)),
    finish: () => {
      while (view.update(text, true));
    },
  };
}

/** What is on screen, the elements that only group blocks taken away. */
function onScreen(root: HTMLElement): string {
  return [...root.querySelectorAll('.block')].map((block) => block.innerHTML).join('');
}

const lines = [
  'a line of words', 'another *line* with `code`', '', '', '', '- item', '- other', '  nested', '  - deep', '1. one', '2. two', '2', '3', '# title', '## sub', 'setext', '---', '===', '```', '```js', '~~~', '````',
  '    indented', '> quote', '> - in quote', '| a | b |', '|---|---|', '| 1 | 2 |', '<div>', '</div>', '<!-- note', '-->', '[r]: https://example.org/', '[r]', '[a][r] and [b](https://b.example)', '**bold', '* * *', '+ plus', '\tTab', 'é🙂 \u202ex', 'trailing  ', '- [ ] task', '- [x] done', '<b>raw</b>', '&amp; <br> x', '~~gone~~', 'https://auto.example', '10. ten', '*', '-', '  ', '[^1]: note', '\r', 'nul \u0000',
];

/** The settled blocks of a text fed in pieces, as their raw text. */
function settled(pieces: Iterable<string>): string[] {
  const blocks = new Blocks();
  for (const piece of pieces) {
    blocks.feed(piece);
    blocks.update();
  }
  blocks.finish();
  return blocks.settled.map(({ kind, raw }) => `${kind} ${raw.trimEnd()}`);
}

describe('a streamed render', () => {
  const made = (next: () => number): string => Array.from({ length: 2 + Math.floor(next() * 30) }, () => lines[Math.floor(next() * lines.length)]).join('\n');

  test('settles into the same blocks however the text is cut', () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const next = random(seed);
      const text = made(next);
      expect(settled(cut(text, next, seed % 3 === 0 ? 3 : 40)), JSON.stringify(text)).toEqual(settled([text]));
    }
  });

  test('ends on screen equal to one render of the whole', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const next = random(seed);
      const text = made(next);
      const stream = streamed();
      for (const piece of cut(text, next, 40)) stream.push(piece);
      stream.finish();
      expect(onScreen(stream.root), JSON.stringify(text)).toBe(renderWhole(text));
      expect(stream.root.querySelector('.tail')!.innerHTML).toBe('');
    }
  });

  test('the same for texts past every limit', () => {
    const next = random(99);
    const long = [
      '- item of a long list\n'.repeat(900),
      'words without end '.repeat(2500),
      '| a | b |\n|---|---|\n' + '| 1 | 2 |\n'.repeat(2000),
      '```go\n' + 'x := 1 // [a](b)\n'.repeat(4000) + '```\nafter',
      'a paragraph that goes on\n'.repeat(2000),
      '- a\n  ```\n' + '- not an item\n'.repeat(3000),
      '<div>\n```\n' + '- item\n'.repeat(6000),
    ];
    for (const text of [...long, long.join('\n\n')]) {
      for (const most of [700, 9000]) {
        const streamedBlocks = settled(cut(text, next, most));
        const whole = settled([text]);
        expect(streamedBlocks.length, text.slice(0, 30)).toBe(whole.length);
        expect(streamedBlocks.join('\0') === whole.join('\0'), text.slice(0, 30)).toBe(true);
      }
    }
  });

  test('what is settled is never drawn again', () => {
    const stream = streamed();
    stream.push('# one\n\ntwo\n\nthree\n\n');
    const [first, second] = stream.root.querySelectorAll('.block');
    for (let i = 0; i < 50; i++) stream.push(` more\n\nand ${i}`);
    stream.finish();
    expect([...stream.root.querySelectorAll('.block')].slice(0, 2)).toEqual([first, second]);
    expect(onScreen(stream.root)).toBe(renderWhole(String(stream.text)));
  });

  test('a reference is mended when its definition comes', () => {
    const stream = streamed();
    stream.push('see [the page][p]\n\nmore\n\n');
    stream.push('[p]: https://example.org/p\n\nend\n');
    stream.finish();
    expect(stream.root.querySelector('a')?.getAttribute('href')).toBe('https://example.org/p');
    expect(onScreen(stream.root)).toBe(renderWhole(String(stream.text)));
  });

  test('a fence and a line longer than a page can draw come on request, whole', () => {
    for (const [text, selector, want] of [
      ['```go\n' + 'x := 1\n'.repeat(30_000) + '```\n', 'code', 'x := 1\n'.repeat(30_000)],
      ['y'.repeat(200_000), 'p', 'y'.repeat(200_000)],
    ]) {
      const stream = streamed();
      stream.push(text);
      stream.finish();
      const shown = stream.root.querySelector(selector)!;
      expect(shown.textContent!.length).toBeLessThan(70_000);
      for (let i = 0; i < 20; i++) stream.root.querySelector<HTMLButtonElement>('button:not([hidden])')?.click();
      expect(shown.textContent!.trimEnd() === want.trimEnd()).toBe(true);
    }
  });

  test('a text replaced by another whole is drawn anew', () => {
    const root = document.createElement('div');
    const view = new MarkdownView(root);
    view.update('first *draft*', false);
    view.update('other words', true);
    expect(root.textContent!.trim()).toBe('other words');
  });
});

describe('G47 work', () => {
  /** What parsing to settle and parsing to draw were given, in all. */
  function parsed(deltas: number, text: (i: number) => string): number {
    const blocks = new Blocks();
    const before = work.lexed;
    let drawn = 0;
    for (let i = 0; i < deltas; i++) {
      blocks.feed(text(i));
      if (blocks.update()) drawn += blocks.tail.length;
    }
    blocks.finish();
    return work.lexed - before + drawn;
  }

  const shapes: [string, (i: number) => string][] = [
    ['paragraphs', (i) => (i % 40 === 39 ? 'end.\n\n' : 'word abc')],
    ['a list', (i) => (i % 10 === 9 ? '\n- item ' : 'abcdefgh')],
    ['one fence', (i) => (i === 0 ? '```go\n\n' : i % 5 === 4 ? 'x := 1\n' : 'fmt.Prin')],
    ['one line', () => 'abcdefgh'],
    ['one paragraph', (i) => (i % 10 === 9 ? 'end\n' : 'word abc')],
  ];
  test.each(shapes)('per delta does not grow with the message: %s', (_, text) => {
    const once = parsed(10_000, text);
    const twice = parsed(20_000, text);
    expect(twice / once).toBeLessThan(2.5);
    // On average within what one update may parse, whatever the shape.
    expect(twice / 20_000).toBeLessThan(2 * 8192);
  });

  test('a fence is parsed once, when it ends', () => {
    const stream = streamed();
    stream.push('```\n');
    stream.push('first\n');
    const before = work.lexed;
    for (let i = 0; i < 3000; i++) stream.push('a line of the fence\n');
    expect(work.lexed - before).toBe(0);
    expect(stream.root.querySelectorAll('pre')).toHaveLength(1);
  });
});

describe('G48 an open fence', () => {
  const doc = 'Run:\n\n```sh\necho $1 && echo \\(x\\) <b>hi</b>\n# not a heading\n[a](javascript:1)\n';
  const opener = doc.indexOf('```sh\n') + 6;

  test('is one code block, verbatim, at every prefix past its opener', () => {
    const stream = streamed();
    for (let i = 0; i < doc.length; i++) {
      stream.push(doc[i]);
      if (i + 1 < opener) continue;
      expect(stream.root.querySelectorAll('a, b, h1, h2, h3, h4')).toHaveLength(0);
      const code = stream.root.querySelectorAll('pre > code');
      if (i + 1 === opener) continue;
      expect(code).toHaveLength(1);
      expect(code[0].textContent).toBe(doc.slice(opener, i + 1));
    }
  });

  test('stays what it is when the turn is cancelled', () => {
    const stream = streamed();
    for (const character of doc) stream.push(character);
    stream.finish();
    const code = stream.root.querySelectorAll('pre > code');
    expect(code).toHaveLength(1);
    expect(code[0].textContent).toBe(doc.slice(opener));
    expect(onScreen(stream.root)).toBe(renderWhole(doc));
  });

  test('ends at its closer, and text goes on', () => {
    const stream = streamed();
    for (const character of doc + '```\nafter') stream.push(character);
    stream.finish();
    expect(stream.root.querySelector('pre > code')!.textContent).toBe(doc.slice(opener));
    expect(stream.root.querySelector('p:last-of-type')).toBeTruthy();
    expect(stream.root.textContent!.trim().endsWith('after')).toBe(true);
  });
});

describe('G49 hostile text', () => {
  const links = ['[a](javascript:alert(1))', '[a](JaVaScRiPt:alert(1))', '[a]( javascript:alert(1))', '[a](java\nscript:alert(1))', '[a](javascript&#58;alert(1))', '[a](data:text/html;base64,PHNjcmlwdD4=)', '[a](vbscript:x)', '![a](javascript:alert(1))', '<javascript:alert(1)>', '[a][r]\n\n[r]: javascript:alert(1)', '[a](//evil.example/x)', '[a](file:///etc/passwd)', '[ok](https://example.org/)', '[ok](mailto:a@example.org)', '[ok](#frag)'];

  test.each(links.map((link, i) => [i, link] as const))('link %i %s', (i, link) => {
    const root = document.createElement('div');
    root.innerHTML = renderWhole(link);
    const hrefs = [...root.querySelectorAll('[href], [src]')].map((element) => element.getAttribute('href') ?? element.getAttribute('src'));
    if (i < 12) expect(hrefs).toEqual([]);
    else {
      expect(hrefs).toHaveLength(1);
      expect(root.querySelector('a')!.rel).toBe('noopener noreferrer');
    }
  });

  test.each([
    '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg onload=alert(1)>', '<style>*{}</style>', '<iframe src="https://x">', '<a href="javascript:x">y</a>', '![x](https://evil.example/p.png)',
    '<math><mi//xlink:href="data:x,<script>alert(4)</script>">', '`<img src=x onerror=alert(1)>`', '```html"><img src=x onerror=alert(1)>\nx\n```', '[x](https://a.example "t\\" onmouseover=alert(1)")', '<b onclick=x>bold</b>',
  ])('%s runs and loads nothing', (text) => {
    const root = document.createElement('div');
    root.innerHTML = renderWhole(text);
    expect(root.querySelector('script, img, svg, style, iframe, math, object, embed, form, input')).toBeNull();
    for (const element of root.querySelectorAll('*')) {
      for (const { name } of element.attributes) expect(name).not.toMatch(/^(?:on|style|src|srcset|xlink)/);
    }
  });

  test('raw HTML is shown as it was written', () => {
    const root = document.createElement('div');
    root.innerHTML = renderWhole('<div onclick="x">a</div>\n\nb <i>c</i>');
    expect(root.textContent).toContain('<div onclick="x">a</div>');
    expect(root.textContent).toContain('<i>c</i>');
  });
});
