/** Code longer than this stays plain: colouring it would cost more than it tells. */
const longest = 64 << 10;

type Highlighter = (code: string, lang: string) => string | undefined;

let loading: Promise<Highlighter> | undefined;

/** Colours a settled block of code. The grammars are fetched with the first block that needs one. */
export async function highlight(code: HTMLElement, lang: string): Promise<void> {
  const text = code.textContent ?? '';
  if (text.length === 0 || text.length > longest) return;
  loading ??= import('./languages').then((module) => module.highlighter);
  const html = (await loading)(text, lang);
  if (html === undefined || code.textContent !== text) return;
  const coloured = document.createElement('code');
  coloured.innerHTML = html;
  // Colour may not change a character.
  if (coloured.textContent === text) code.replaceChildren(...coloured.childNodes);
}
