// What only a browser can tell, against the mock: following (G50), the size of
// the page with many parts, frame times, one render per delta.
//   node dev/check.mjs URL
import { chromium } from 'playwright-core';

const url = process.argv[2];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
let failed = 0;
const check = (name, ok, detail) => (console.log(ok ? 'ok  ' : 'FAIL', name, detail ?? ''), (failed += ok ? 0 : 1));

async function open(path, size = { width: 1200, height: 800 }) {
  const page = await browser.newPage({ viewport: size });
  page.on('pageerror', (error) => check('no error', false, error.message));
  page.on('console', (message) => message.type() === 'error' && check('no console error', false, message.text()));
  await page.goto(url + path);
  await page.waitForSelector('[data-ready=true] [data-row]');
  await page.waitForTimeout(500);
  return page;
}
const frames = (page, count = 2) => page.evaluate((count) => new Promise((done) => { const step = () => (count-- > 0 ? requestAnimationFrame(step) : done()); step(); }), count);
const scroller = (page, fn, arg) => page.evaluate(([fn, arg]) => new Function('el', 'arg', `return (${fn})(el, arg)`)(document.querySelector('[data-testid=scroller]'), arg), [fn.toString(), arg]);
const distance = (page) => scroller(page, (el) => el.scrollHeight - el.clientHeight - el.scrollTop);
const following = (page) => scroller(page, (el) => el.dataset.following === 'true');
/** Where the text nearest to the middle of the view stands, and which it is. */
const mark = (page) => scroller(page, (el) => {
  const box = el.getBoundingClientRect();
  const found = [...el.querySelectorAll('[data-row] p, [data-row] pre')].find((p) => p.getBoundingClientRect().top > box.top + 60);
  found.dataset.mark = 'yes';
  return found.getBoundingClientRect().top;
});
const marked = (page) => scroller(page, (el) => el.querySelector('[data-mark]')?.getBoundingClientRect().top);

const live = await open('/c/hundred');
check('follows at first', (await distance(live)) <= 1 && (await following(live)));
let worst = 0;
for (let i = 0; i < 60; i++) {
  await frames(live, 1);
  worst = Math.max(worst, await distance(live));
}
check('bottom within 1 px each frame', worst <= 1, worst);

await live.mouse.move(700, 400);
await live.mouse.wheel(0, -300);
await live.waitForTimeout(400);
check('1 a wheel up ends it', !(await following(live)));
check('1 shows the button', await live.isVisible('[data-testid=to-bottom]'));
const before = await mark(live);
await live.waitForTimeout(1500);
check('1 the line stays', Math.abs((await marked(live)) - before) <= 1, (await marked(live)) - before);

await live.setViewportSize({ width: 1200, height: 600 });
await live.waitForTimeout(200);
check('3 a shorter window does not begin it', !(await following(live)));
check('3 and keeps the line', Math.abs((await marked(live)) - before) <= 1, (await marked(live)) - before);
await scroller(live, (el) => { const image = document.createElement('div'); image.style.height = '333px'; image.id = 'late'; el.querySelector('[data-row]').append(image); });
await live.waitForTimeout(300);
check('4 growth above keeps the line', Math.abs((await marked(live)) - before) <= 1, (await marked(live)) - before);
check('4 and does not begin it', !(await following(live)));
await scroller(live, () => document.getElementById('late')?.remove());
await live.waitForTimeout(300);
check('6 shrinking above keeps the line', Math.abs((await marked(live)) - before) <= 1, (await marked(live)) - before);

await scroller(live, (el) => (el.scrollTop = el.scrollHeight));
await live.waitForTimeout(400);
check('2 back at the bottom it follows', (await following(live)) && (await distance(live)) <= 1);
await live.setViewportSize({ width: 1200, height: 450 });
await live.waitForTimeout(300);
check('3 a shorter window keeps it', (await following(live)) && (await distance(live)) <= 1, await distance(live));
await live.setViewportSize({ width: 1200, height: 900 });
await live.waitForTimeout(300);
check('3 a taller one too', (await following(live)) && (await distance(live)) <= 1, await distance(live));
await scroller(live, (el) => { const image = document.createElement('div'); image.style.height = '333px'; image.id = 'late'; el.querySelector('[data-row]').append(image); });
await live.waitForTimeout(200);
check('4 growth above keeps it', (await following(live)) && (await distance(live)) <= 1, await distance(live));
await scroller(live, () => document.getElementById('late')?.remove());
await live.waitForTimeout(200);
check('6 a collapse keeps it', (await following(live)) && (await distance(live)) <= 1, await distance(live));
await live.close();

const short = await open('/c/cut');
await short.mouse.move(700, 400);
await short.mouse.wheel(0, -300);
await short.waitForTimeout(200);
check('5 a wheel without overflow changes nothing', await following(short));
await short.close();

const paged = await open('/c/paged');
await paged.mouse.move(700, 400);
const moves = [];
for (let i = 0; i < 15; i++) {
  const before = await mark(paged);
  await paged.mouse.wheel(0, -40);
  await paged.waitForTimeout(250);
  moves.push((await marked(paged)) - before);
  await scroller(paged, (el) => el.querySelectorAll('[data-mark]').forEach((p) => delete p.dataset.mark));
}
// A page that arrives may end the wheel's own glide, but never moves the reader further.
check('older turns load above without moving the reader', moves.every((by) => by >= -1 && by <= 41) && moves.filter((by) => by > 30).length > 7, moves.map(Math.round).join());
await paged.keyboard.press('Escape');
await paged.focus('[data-testid=scroller]');
for (let i = 0; i < 40; i++) {
  await paged.keyboard.press('Home');
  await paged.waitForTimeout(40);
}
check('and all of them come', await scroller(paged, (el) => el.querySelector('[data-row]').dataset.row === 'ru1' && !el.querySelector('[data-testid=earlier]')));
await paged.close();

const medians = {};
for (const name of ['hundred', 'many']) {
  const page = await open(`/c/${name}?debug=1`);
  const times = await page.evaluate(() => new Promise((done) => {
    const times = [];
    let last = performance.now();
    const step = (now) => { times.push(now - last); last = now; times.length < 180 ? requestAnimationFrame(step) : done(times.sort((a, b) => a - b)); };
    requestAnimationFrame(step);
  }));
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const metric = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const a = await metric();
  const framesBefore = await page.evaluate(() => window.__steno.framesApplied);
  await page.waitForTimeout(3000);
  const b = await metric();
  const drawn = (await page.evaluate(() => window.__steno.framesApplied)) - framesBefore;
  medians[name] = { frame: times[90], work: ((b.TaskDuration - a.TaskDuration) / drawn) * 1000, nodes: await page.evaluate(() => document.querySelectorAll('*').length), allNodes: b.Nodes };
  const renders = await page.evaluate(() => new Promise((done) => {
    const old = new Map(window.__steno.renders);
    setTimeout(() => done([...window.__steno.renders].filter(([key, count]) => count !== (old.get(key) ?? 0)).map(([key]) => key)), 500);
  }));
  check(`${name}: deltas draw one part`, renders.length === 1, renders.join());
  // Up through the whole conversation, and back.
  if (name === 'many') {
    let most = 0;
    for (let i = 0; i < 12; i++) {
      await scroller(page, (el, i) => (el.scrollTop = (el.scrollHeight * (11 - i)) / 12), i);
      await frames(page, 3);
      most = Math.max(most, await page.evaluate(() => document.querySelectorAll('*').length));
      const blank = await scroller(page, (el) => { const box = el.getBoundingClientRect(); return !document.elementFromPoint(box.left + box.width / 2, box.top + 300)?.closest('[data-row]'); });
      if (blank) check(`rows at ${i}/12`, false, 'blank');
    }
    check('nodes while scrolling', most <= 3000, most);
    const first = await scroller(page, (el) => { el.scrollTop = 0; return new Promise((done) => setTimeout(() => done(el.querySelector('[data-row]').dataset.row), 300)); });
    check('the first row is first', first === 'r-m1u', first);
    await page.keyboard.press('Escape');
    await page.focus('[data-testid=scroller]');
    for (let i = 0; i < 5; i++) await page.keyboard.press('j');
    const at = await page.evaluate(() => document.activeElement.dataset.row);
    check('j walks the rows', at === 'r3', at);
    await page.keyboard.press('End');
    await page.waitForTimeout(300);
    check('End follows', (await following(page)) && (await distance(page)) <= 1);
  }
  await page.close();
}
console.log(medians);
check('10,000 parts: nodes', medians.many.nodes <= 3000, medians.many.nodes);
check('10,000 parts: frame', medians.many.frame <= 1.5 * medians.hundred.frame);
check('10,000 parts: work a frame', medians.many.work <= 1.5 * medians.hundred.work, medians.many.work / medians.hundred.work);
await browser.close();
process.exitCode = failed > 0 ? 1 : 0;
