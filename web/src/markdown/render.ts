import DOMPurify from 'dompurify';
import { Marked, Lexer, type Tokens } from 'marked';
import { spellMarks } from '../lib/visible';
import { safeHref } from './links';

/** The addresses of reference links, by label. */
export type Definitions = Record<string, { href: string; title: string | undefined }>;

/** Counts of what the parser was given, in UTF-16 units, for tests of the work per delta. */
export const work = { lexed: 0 };

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHTML(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character]);
}

/** Inline HTML a model may write and mean; everything else stands as it was written. */
const harmless = /^<(?:br\s*\/?|\/?(?:sub|sup|kbd))>$/i;

const marked = new Marked({
  gfm: true,
  renderer: {
    code({ text, lang, raw }: Tokens.Code) {
      return codeBlock(text + (text !== '' && (raw.endsWith('\n') || /\n {0,3}[`~]+ *$/.test(raw)) ? '\n' : ''), lang ?? '');
    },
    html({ text }: Tokens.HTML | Tokens.Tag) {
      const bare = text.trim();
      return harmless.test(bare) ? bare : escapeHTML(text);
    },
    image({ href, text, title }: Tokens.Image) {
      const label = escapeHTML(text || title || 'image');
      const safe = safeHref(href);
      return safe ? `<a class="image" href="${escapeHTML(safe)}">${label}</a>` : `<span class="image">${label}</span>`;
    },
    link({ href, title, tokens }: Tokens.Link) {
      const label = this.parser.parseInline(tokens);
      const safe = safeHref(href);
      if (!safe) return `<span class="no-link">${label}</span>`;
      return `<a href="${escapeHTML(safe)}"${title ? ` title="${escapeHTML(title)}"` : ''}>${label}</a>`;
    },
    paragraph({ tokens }: Tokens.Paragraph) {
      return `<p dir="auto">${this.parser.parseInline(tokens)}</p>\n`;
    },
    heading({ tokens, depth }: Tokens.Heading) {
      // The page's own headings end at level 2.
      const level = Math.min(6, depth + 2);
      return `<h${level} dir="auto" class="h${depth}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    codespan({ text }: Tokens.Codespan) {
      return `<code>${escapeHTML(spellMarks(text))}</code>`;
    },
    checkbox({ checked }: Tokens.Checkbox) {
      return `<span class="box" role="img" aria-label="${checked ? 'done' : 'to do'}">${checked ? '☑' : '☐'}</span> `;
    },
  },
});

export function codeBlock(text: string, info: string): string {
  const lang = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? '';
  return `<pre class="code"${lang ? ` data-lang="${escapeHTML(lang.toLowerCase())}"` : ''}><code>${escapeHTML(spellMarks(text))}</code></pre>\n`;
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  const href = safeHref(node.getAttribute('href'));
  if (!href) {
    node.removeAttribute('href');
    return;
  }
  node.setAttribute('rel', 'noopener noreferrer');
  if (!href.startsWith('#')) node.setAttribute('target', '_blank');
});

const policy = {
  ALLOWED_TAGS: 'a,b,blockquote,br,code,del,em,h3,h4,h5,h6,hr,kbd,li,ol,p,pre,span,strong,sub,sup,table,tbody,td,th,thead,tr,ul'.split(','),
  ALLOWED_ATTR: ['href', 'title', 'dir', 'class', 'start', 'align', 'data-lang', 'role', 'aria-label'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

export function sanitise(html: string): string {
  return DOMPurify.sanitize(html, policy);
}

/**
 * Splits text into markdown blocks without looking inside them. Text nested
 * deeper than the parser's stack is one block, as it stands.
 */
export function splitBlocks(text: string): Tokens.Generic[] {
  work.lexed += text.length;
  try {
    return new Lexer(marked.defaults).blockTokens(text) as Tokens.Generic[];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ type: 'text', raw: text }];
  }
}

/** The clean HTML of one block. */
export function renderBlock(raw: string, definitions: Definitions): string {
  work.lexed += raw.length;
  try {
    const lexer = new Lexer(marked.defaults);
    Object.assign(lexer.tokens.links, definitions);
    return sanitise(marked.parser(lexer.lex(raw)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return sanitise(`<p dir="auto" class="plain">${escapeHTML(raw)}</p>`);
  }
}
