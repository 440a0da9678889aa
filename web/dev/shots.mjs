// Pictures of the mock's conversations: node dev/shots.mjs URL OUT [names…]
import { chromium } from 'playwright-core';
import { mkdirSync } from 'node:fs';

const [url, out, ...names] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const shows = { front: '/', everything: '/c/everything', thinking: '/c/thinking', tools: '/c/tools', error: '/c/error', cut: '/c/cut', hostile: '/c/hostile', many: '/c/many', missing: '/c/none' };
for (const scheme of (process.env.SCHEMES ?? 'light,dark').split(',')) {
  for (const width of (process.env.WIDTHS ?? '360,768,1440').split(',').map(Number)) {
    const context = await browser.newContext({ viewport: { width, height: width < 500 ? 740 : 900 }, colorScheme: scheme, deviceScaleFactor: width < 500 ? 2 : 1 });
    for (const name of names.length ? names : Object.keys(shows)) {
      const page = await context.newPage();
      page.on('console', (message) => message.type() === 'error' && console.log(name, message.text()));
      page.on('pageerror', (error) => console.log(name, 'ERROR', error.message));
      await page.goto(url + shows[name]);
      await page.waitForTimeout(600);
      if (process.env.TOP) await page.evaluate(() => (document.querySelector('[data-testid=scroller]').scrollTop = 0)), await page.waitForTimeout(200);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth || [...document.querySelectorAll('[data-row]')].some((row) => row.scrollWidth > row.clientWidth + 1));
      if (wide) console.log(name, width, 'scrolls sideways');
      await page.screenshot({ path: `${out}/${name}-${width}-${scheme}.png` });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
