// Takes the pictures of the documentation.
//
//   node screens.mjs [ADDRESS [FOLDER [NAME]]]   a running `tabiya serve` over the built-in games
//                                         (the training view: over a collection with exercises)

import { writeFileSync } from 'node:fs';

import { chromium } from 'playwright-core';

const address = process.argv[2] ?? 'http://127.0.0.1:7777';
const folder = process.argv[3] ?? '../docs/screens';
const only = process.argv[4];
const LEGAL = 'r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R_b_KQkq_-_0_5';

/** The opera game. */
const OPERA =
  'e2e4.e7e5.g1f3.d7d6.d2d4.c8g4.d4e5.g4f3.d1f3.d6e5.f1c4.g8f6.f3b3.d8e7.b1c3.c7c6.c1g5.b7b5.c3b5.c6b5.c4b5.b8d7.e1c1.a8d8.d1d7.d8d7.h1d1.e7e6.b5d7.f6d7.b3b8.d7b8.d1d8';

/** Name, address, theme, size, and what to do before the picture is taken. */
const SCREENS = [
  ['similar', '/', 'light', [1366, 768], async (page) => page.locator('.card .reason').first().focus()],
  [
    'game',
    '/?fen=start&moves=e2e4.c7c5.g1f3.d7d6.d2d4.c5d4.f3d4.g8f6.b1c3.a7a6',
    'dark',
    [1366, 768],
    async (page) => {
      await page.keyboard.press('e');
      await page.locator('.lines li').nth(2).waitFor();
      await page.getByText(/depth 1\d/).waitFor();
    },
  ],
  [
    'compare',
    '/',
    'dark',
    [1366, 768],
    async (page) => {
      await page.locator('.card-compare').nth(3).click();
      await page.locator('.measure').first().waitFor();
    },
  ],
  [
    'games',
    '/?view=games',
    'light',
    [1366, 768],
    async (page) => page.locator('.games .row').first().waitFor(),
  ],
  [
    'patterns',
    '/?view=find&pattern=flipcolor+{[NB]d5+Pe4+_c4+not+pf6+d5->f6}',
    'light',
    [1366, 768],
    async (page) => page.locator('.find .card').first().waitFor(),
  ],
  [
    'judge',
    `/?view=judge&fen=${LEGAL}`,
    'light',
    [1366, 768],
    async (page) => {
      await page.fill('input[name=assessor]', 'Anna');
      await page.press('input[name=assessor]', 'Enter');
      await page.locator('.scale button').first().waitFor();
    },
  ],
  [
    'collections',
    '/',
    'light',
    [1366, 768],
    async (page) => {
      await page.locator('.collection').click();
      await page.locator('.statistics summary').first().click();
      await page.locator('.statistics dd').first().waitFor();
    },
  ],
  [
    'review',
    `/?view=review&fen=start&moves=${OPERA}`,
    'light',
    [1366, 900],
    async (page) => {
      await page.getByRole('button', { name: 'Review this game' }).click();
      await page.locator('.moment').first().waitFor({ timeout: 60_000 });
      await page.locator('.moment-head').first().click();
    },
  ],
  [
    'train',
    '/?view=train',
    'light',
    [1366, 900],
    async (page) => {
      await page.locator('.train .empty, .training-state').first().waitFor();
      await page.uncheck('input[name=herrings]');
      await page.getByRole('button', { name: 'Train', exact: true }).click();
      await page.locator('.train-board').waitFor({ timeout: 60_000 });
    },
  ],
  [
    'prepare',
    '/?view=prepare',
    'light',
    [1366, 900],
    async (page) => {
      await page.fill('input[name=against]', 'Morphy');
      await page.getByRole('button', { name: 'Prepare', exact: true }).click();
      await page.locator('.prepared-games').waitFor({ timeout: 60_000 });
    },
  ],
  ['phone', '/', 'light', [390, 844], async () => {}],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});

for (const [name, path, colorScheme, [width, height], act] of SCREENS) {
  if (only && name !== only) continue;
  const isMobile = width < 500;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    isMobile,
    bypassCSP: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address + path);
  await page.locator('.card, .measure, .games .row, .judge, .review, .train, .prepare').first().waitFor();
  await act(page);
  await page.waitForTimeout(600);
  await page.evaluate(() => scrollTo(0, 0));
  const png = (await page.screenshot()).toString('base64');
  // The browser also makes the smaller format.
  const webp = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.86).split(',')[1];
  }, png);
  writeFileSync(`${folder}/${name}.webp`, Buffer.from(webp, 'base64'));
  console.log(`${folder}/${name}.webp`);
  await context.close();
}
await browser.close();
