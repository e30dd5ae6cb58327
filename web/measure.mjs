// Measures the time until a search is drawn and the size of the first view.
//
//   node measure.mjs [ADDRESS]     a running `tabiya serve`, http://127.0.0.1:7777 by default

import { chromium } from 'playwright-core';

const address = process.argv[2] ?? 'http://127.0.0.1:7777';
const MOVES = [
  'e4',
  'c5',
  'Nf3',
  'd6',
  'd4',
  'cxd4',
  'Nxd4',
  'Nf6',
  'Nc3',
  'a6',
  'Be2',
  'e5',
  'Nb3',
  'Be7',
  'O-O',
  'O-O',
  'Be3',
  'Be6',
  'Qd2',
  'Nbd7',
];

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

const times = [];
for (const move of MOVES) {
  await page.fill('input[name=position]', move);
  const took = page.evaluate(
    () =>
      new Promise((done) => {
        const list = document.querySelector('.cards');
        const begin = performance.now();
        const drawn = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
        new MutationObserver((_, observer) => {
          observer.disconnect();
          drawn();
        }).observe(list, { childList: true });
        document.querySelector('input[name=position]').form.requestSubmit();
      }),
  );
  times.push(await took);
}
times.sort((one, two) => one - two);
const at = (share) => times[Math.ceil(share * times.length) - 1].toFixed(0);
console.log(
  `search answered and drawn, ${times.length} moves: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`,
);
await browser.close();
