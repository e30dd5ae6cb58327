// Measures the time until a search is drawn, its parts, and the size of the first view.
//
//   node measure.mjs [ADDRESS]     a running `tabiya serve`, http://127.0.0.1:7777 by default

import { chromium } from 'playwright-core';

const address = process.argv[2] ?? 'http://127.0.0.1:7777';
const MOVES = 'e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2 e5 Nb3 Be7 O-O O-O Be3 Be6 Qd2 Nbd7'.split(' ');
/** A reader looks at an answer before he plays the next move: milliseconds. */
const LOOK = 300;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(`${address}/?fen=start`);
await page.locator('.card').first().waitFor();
const bytes = await page.evaluate(() =>
  [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce(
    (sum, it) => sum + it.transferSize,
    0,
  ),
);
console.log(`first view: ${(bytes / 1000).toFixed(1)} KB transferred`);

/** Plays a move and times it: until the request, its answer, and the picture. */
const timed = () =>
  new Promise((done) => {
    performance.clearResourceTimings();
    const begin = performance.now();
    const drawn = () => requestAnimationFrame(() => setTimeout(() => done(times())));
    const times = () => {
      const all = performance.now() - begin;
      const search = performance.getEntriesByType('resource').find((it) => it.name.includes('/search?'));
      return {
        all,
        before: search.requestStart - begin,
        server: search.responseStart - search.requestStart,
        transfer: search.responseEnd - search.responseStart,
        draw: begin + all - search.responseEnd,
      };
    };
    new MutationObserver((_, observer) => {
      observer.disconnect();
      drawn();
    }).observe(document.querySelector('.cards'), { childList: true });
    document.querySelector('input[name=position]').form.requestSubmit();
  });

const runs = [];
for (const move of MOVES) {
  await page.fill('input[name=position]', move);
  runs.push(await page.evaluate(timed));
  await page.waitForTimeout(LOOK);
}
const at = (part, share) => {
  const times = runs.map((it) => it[part]).sort((one, two) => one - two);
  return times[Math.ceil(share * times.length) - 1].toFixed(0);
};
const words = (part) => `p50 ${at(part, 0.5)} ms, p95 ${at(part, 0.95)} ms, worst ${at(part, 1)} ms`;
console.log(`search answered and drawn, ${runs.length} moves: ${words('all')}`);
for (const part of ['before', 'server', 'transfer', 'draw']) console.log(`  ${part}: ${words(part)}`);
await browser.close();
