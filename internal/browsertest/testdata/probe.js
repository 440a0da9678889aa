// What the tests call in the page. It runs before the page's own program.
window.probe = (() => {
  const frames = (count) => new Promise((done) => {
    const step = () => (count-- > 0 ? requestAnimationFrame(step) : done(true));
    step();
  });

  /** The middle of the first element that matches and can be seen. */
  function centre(selector) {
    for (const element of document.querySelectorAll(selector)) {
      const box = element.getBoundingClientRect();
      if (box.width > 0 && box.height > 0) return [box.x + box.width / 2, box.y + box.height / 2];
    }
    return null;
  }

  const scroller = () => document.querySelector('[data-testid=scroller]');
  const following = () => scroller().dataset.following === 'true';
  const below = () => scroller().scrollHeight - scroller().clientHeight - scroller().scrollTop;

  /** Unfolds everything that is drawn. */
  async function unfold() {
    for (let rounds = 0; rounds < 20; rounds++) {
      const closed = [...document.querySelectorAll('[data-row] details:not([open]) > summary')];
      if (closed.length === 0) return;
      for (const summary of closed) summary.click();
      await frames(1);
    }
  }

  /**
   * Walks the transcript from the first row to the last and returns what is
   * seen of it: the rows in order, and of each part its kind, state and texts.
   */
  async function read() {
    const rows = [];
    const parts = {};
    const el = scroller();
    const note = async () => {
      await unfold();
      await frames(2);
      for (const row of el.querySelectorAll('[data-row]')) {
        const key = row.dataset.row;
        if (!rows.some((seen) => seen.key === key)) rows.push({ key, ...about(row), top: row.getBoundingClientRect().top + el.scrollTop });
        for (const part of row.querySelectorAll('.part')) parts[`${part.dataset.message} ${part.dataset.key}`] = seen(part);
      }
    };
    el.scrollTop = 0;
    await frames(2);
    for (let i = 0; i < 2000; i++) {
      await note();
      if (below() <= 1) break;
      el.scrollTop += 0.8 * el.clientHeight;
      await frames(2);
    }
    return { rows: rows.sort((a, b) => a.top - b.top).map(({ top: _, ...row }) => row), parts };
  }

  function about(row) {
    return {
      type: row.querySelector('[data-type]').dataset.type,
      superseded: row.querySelector('[data-superseded=true]') !== null,
      text: row.querySelector('[data-item] [data-field=text]')?.textContent ?? '',
      reason: row.querySelector('[data-reason]')?.dataset.reason ?? '',
    };
  }

  function seen(part) {
    const fields = {};
    for (const field of part.querySelectorAll('[data-field]')) for (const name of field.dataset.field.split(' ')) fields[name] = field.textContent;
    if (part.dataset.kind === 'tool') fields.name = part.querySelector('.name').textContent;
    const prose = part.querySelector('.prose');
    if (prose) fields.text = prose.textContent;
    return { kind: part.dataset.kind, state: part.dataset.state ?? '', status: part.dataset.status ?? '', fields };
  }

  const hrefs = new Set();
  const loose = new Set();

  /** Every address a link in the transcript has had since the first call. */
  function collect() {
    for (const link of scroller().querySelectorAll('a')) {
      if (!link.hasAttribute('href')) continue;
      hrefs.add(link.getAttribute('href'));
      if (!/noopener/.test(link.rel) || !/noreferrer/.test(link.rel)) loose.add(link.outerHTML);
    }
    return hrefs;
  }
  const unsafe = () => [...loose];

  /** Reads a view as strictly as browsers do, beside the page's own client. */
  function listen(address) {
    probe.heard = [];
    probe.listening = new EventSource(address);
    probe.listening.onmessage = ({ type, lastEventId: id, data }) => probe.heard.push({ type, id, data });
    // A broken connection has no data; an event of that name would.
    for (const name of ['error', 'forged']) probe.listening.addEventListener(name, (event) => event.data !== undefined && probe.heard.push({ type: name, data: event.data }));
  }

  /** What the strict reader makes of the first text. */
  function heardText() {
    let text = '';
    for (const { data } of probe.heard) {
      for (const op of JSON.parse(data).ops) {
        if (op.op === 'insert' && op.node.kind === 'text') text = op.node.text ?? '';
        if (op.op === 'append' && op.field === 'text') text += op.text;
      }
    }
    return text;
  }

  // Colour.

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

  /** Any CSS colour as [r, g, b, a]. */
  function rgba(colour) {
    const numbers = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(colour);
    if (numbers) return [Number(numbers[1]), Number(numbers[2]), Number(numbers[3]), numbers[4] === undefined ? 1 : Number(numbers[4])];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }

  const over = (top, under) => {
    const a = top[3] + under[3] * (1 - top[3]);
    return [0, 1, 2].map((i) => (a === 0 ? 0 : (top[i] * top[3] + under[i] * under[3] * (1 - top[3])) / a)).concat(a);
  };

  function luminance([r, g, b]) {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  }

  function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }

  /** What stands behind an element: all backgrounds up to the page's own, laid over each other. */
  function behind(element) {
    let colour = [0, 0, 0, 0];
    for (let at = element; at; at = at.parentElement) colour = over(colour, rgba(getComputedStyle(at).backgroundColor));
    const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return over(colour, canvas);
  }

  function opacity(element) {
    let all = 1;
    for (let at = element; at; at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  }

  /** Whether any of an element's box can be seen on the screen. */
  function onScreen(element) {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || box.bottom <= 0 || box.right <= 0 || box.top >= innerHeight || box.left >= innerWidth) return false;
    const style = getComputedStyle(element);
    return style.visibility !== 'hidden' && style.display !== 'none';
  }

  /** Texts on the screen whose contrast with what is behind them is below `least`. */
  function faint(least) {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const element = text.parentElement;
      if (text.data.trim() === '' || !element || element.closest('.visually-hidden, script, noscript') || !onScreen(element)) continue;
      if (element.closest(':disabled') || opacity(element) === 0) continue;
      const background = behind(element);
      const own = rgba(getComputedStyle(element).color);
      own[3] *= opacity(element);
      const ratio = contrast(over(own, background), background);
      if (ratio < least) found.push(`${ratio.toFixed(2)} ${name(element)} "${text.data.trim().slice(0, 40)}"`);
    }
    return [...new Set(found)];
  }

  function name(element) {
    const kind = element.className && typeof element.className === 'string' ? '.' + element.className.trim().split(/\s+/)[0] : '';
    return element.tagName.toLowerCase() + kind;
  }

  // Layout.

  /** Elements that make the page, or one of its columns, scroll sideways. */
  function wide() {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of document.querySelectorAll('main, nav, dialog, [data-testid=scroller], [data-row], header, nav li, article')) {
      const style = getComputedStyle(element);
      if (onScreen(element) && element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'auto' && style.display !== 'inline') found.push(`${name(element)} is ${element.scrollWidth} wide in ${element.clientWidth}`);
    }
    // Nothing that is drawn stands out of the screen, unless it scrolls by itself.
    for (const element of document.querySelectorAll('body *')) {
      if (!onScreen(element) || element.closest('.visually-hidden, .skip')) continue;
      const box = element.getBoundingClientRect();
      if (box.right <= innerWidth + 1 && box.left >= -1) continue;
      if (!element.closest('pre, table, .table') && !clipped(element)) found.push(`${name(element)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    return found.slice(0, 10);
  }

  function clipped(element) {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
      const box = at.getBoundingClientRect();
      if (getComputedStyle(at).overflowX !== 'visible' && box.right <= innerWidth + 1) return true;
    }
    return false;
  }

  /** Pairs of elements of one column that lie over each other. */
  function overlapping() {
    const found = [];
    for (const selector of ['[data-row]', 'nav li', '.batch > .part', 'main > *', 'nav > *', '.body > *']) {
      const groups = new Map();
      for (const element of document.querySelectorAll(selector)) {
        if (!onScreen(element) || getComputedStyle(element).position === 'absolute' || element.closest('.visually-hidden')) continue;
        groups.set(element.parentElement, [...(groups.get(element.parentElement) ?? []), element]);
      }
      for (const elements of groups.values()) {
        const boxes = elements.map((element) => [element.getBoundingClientRect(), element]);
        for (let i = 0; i < boxes.length; i++) {
          for (let j = i + 1; j < boxes.length; j++) {
            const [a, b] = [boxes[i][0], boxes[j][0]];
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (across > 1 && down > 1) found.push(`${selector}: ${name(boxes[i][1])} and ${name(boxes[j][1])} by ${Math.round(down)} px`);
          }
        }
      }
    }
    return found.slice(0, 10);
  }

  /** Controls without a name, ids used twice, and the like. */
  function unnamed() {
    const found = [];
    for (const element of document.querySelectorAll('button, a[href], input, summary, [role=button], [tabindex="0"]')) {
      if (!onScreen(element) && !element.matches('.skip')) continue;
      const label = element.getAttribute('aria-label') ?? (element.getAttribute('aria-labelledby') ? document.getElementById(element.getAttribute('aria-labelledby'))?.textContent : undefined) ?? element.closest('label')?.textContent ?? element.textContent;
      if (!label?.trim()) found.push(`${name(element)} has no name`);
    }
    for (const image of document.querySelectorAll('img:not([alt])')) found.push(`${name(image)} has no alt`);
    for (const svg of document.querySelectorAll('svg:not([aria-hidden=true]):not([role=img])')) found.push(`${name(svg)} is neither hidden nor an image`);
    const ids = new Set();
    for (const { id } of document.querySelectorAll('[id]')) {
      if (ids.has(id)) found.push(`the id ${id} is there twice`);
      ids.add(id);
    }
    for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for']) {
      for (const element of document.querySelectorAll(`[${attribute}]`)) if (!document.getElementById(element.getAttribute(attribute))) found.push(`${name(element)} points to nothing by ${attribute}`);
    }
    for (const element of document.querySelectorAll('[aria-hidden=true] :is(button, a[href], input, [tabindex]), [tabindex]:not([tabindex="0"]):not([tabindex="-1"])')) found.push(`${name(element)} can be focused and should not`);
    if (!document.documentElement.lang) found.push('the page has no language');
    if (!document.title) found.push('the page has no title');
    let last = 0;
    for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
      const level = Number(heading.tagName[1]);
      if (last !== 0 && level > last + 1 && !heading.closest('.prose')) found.push(`an h${level} follows an h${last}`);
      if (!heading.closest('.prose')) last = level;
    }
    return found;
  }

  /** Controls one can touch that are smaller than 24 px. */
  function small() {
    return [...document.querySelectorAll('button, nav a[href], summary')]
      .filter((element) => onScreen(element) && !element.closest('.prose') && !element.matches('.skip'))
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([, box]) => box.width < 24 || box.height < 24)
      .map(([element, box]) => `${name(element)} is ${Math.round(box.width)} by ${Math.round(box.height)}`);
  }

  /** Whether the element with the focus looks other than it does without. */
  function focusSeen() {
    const element = document.activeElement;
    const look = () => [element, element.parentElement, element.nextElementSibling].filter(Boolean).flatMap((one) => [null, '::before', '::after'].map((part) => {
      const style = getComputedStyle(one, part);
      return [style.content, style.outlineStyle === 'none' ? '' : style.outline, style.boxShadow, style.backgroundColor, style.borderColor].join();
    })).join();
    const now = look();
    element.blur();
    const then = look();
    element.focus({ preventScroll: true });
    return now !== then;
  }

  /** The pauses between so many frames, in milliseconds, sorted. */
  const pauses = (count) => new Promise((done) => {
    const times = [];
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      if (times.length <= count) requestAnimationFrame(step);
      else done(times.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  });

  return { focusSeen, listen, heardText, collect, unsafe, frames, centre, scroller, following, below, unfold, read, faint, wide, overlapping, unnamed, small, pauses, onScreen };
})();
