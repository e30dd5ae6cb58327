// Every view is accessible to everybody. `training.test.ts` says the same of training.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';

import { SETTINGS, expectAccessible } from './axe';
import { Server, launch } from './server';

const server = new Server();
let browser: Browser;

beforeAll(async () => {
  await server.start();
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  await server.stop();
});

const LEGAL = 'r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R_b_KQkq_-_0_5';

const VIEWS: [string, string, (page: Page) => Promise<void>][] = [
  ['similar', '/?rerank=blend', async (page) => page.locator('.card').first().waitFor()],
  [
    'refine',
    '/',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.click('button.refine');
    },
  ],
  [
    'game',
    '/',
    async (page) => {
      await page.locator('.card h3 a').first().click();
      await page.locator('.viewer .moves [aria-current]').waitFor();
    },
  ],
  [
    'set-up',
    '/',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.getByRole('button', { name: 'Set up a position' }).click();
    },
  ],
  [
    'engine',
    '/?fen=6k1/5ppp/8/8/8/8/8/R3K3_w_-_-_0_1',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.keyboard.press('e');
      await page.locator('.lines li').first().waitFor();
    },
  ],
  [
    'patterns',
    '/?view=find&pattern=Pd4+d4->e5+not+ae5',
    async (page) => page.locator('.find .card').first().waitFor(),
  ],
  ['games', '/?view=games', async (page) => page.locator('.games .row').first().waitFor()],
  [
    'collections',
    '/',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.locator('.collection').click();
      await page.locator('.collections li').first().waitFor();
    },
  ],
  [
    'look',
    '/',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.getByRole('button', { name: 'Board and sound' }).click();
    },
  ],
  [
    'variations',
    '/?fen=start&moves=e2e4.e7e5.g1f3',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.fill('input[name=position]', 'Nc3');
      await page.press('input[name=position]', 'Enter');
      await page.locator('.aside-line').waitFor();
    },
  ],
  ['traps', `/?view=traps&fen=${LEGAL}`, async (page) => page.locator('.trap').first().waitFor()],
  [
    'compare',
    `/?view=compare&fen=${LEGAL}&other=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1`,
    async (page) => page.locator('.measure').first().waitFor(),
  ],
  [
    'judge',
    '/?view=judge',
    async (page) => {
      await page.fill('input[name=assessor]', 'Anna');
      await page.press('input[name=assessor]', 'Enter');
      await page.locator('.scale button').first().waitFor();
    },
  ],
  ['play', '/?view=play&fen=start', async (page) => page.locator('.play select').waitFor()],
  [
    'keys',
    '/',
    async (page) => {
      await page.locator('.card').first().waitFor();
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    },
  ],
  [
    'review',
    '/?view=review&fen=start&moves=e2e4.e7e5.f1c4.b8c6.d1h5.g8f6.h5f7',
    async (page) => {
      await page.selectOption('select[name=depth]', { index: 0 });
      await page.getByRole('button', { name: 'Review this game' }).click();
      await page.locator('.moment').first().waitFor();
    },
  ],
  ['no exercises', '/?view=train', async (page) => page.locator('.train .empty').waitFor()],
  [
    'prepare',
    '/?view=prepare&against=Morphy',
    async (page) => {
      await page.locator('.prepared-games').waitFor();
      await page.locator('.prepared-side summary').first().click();
    },
  ],
  [
    'statistics',
    '/',
    async (page) => {
      await page.locator('.collection').click();
      await page.locator('.statistics summary').first().click();
      await page.locator('.statistics dd').first().waitFor();
    },
  ],
  ['nothing found', '/?player=nobody', async (page) => page.locator('.empty').first().waitFor()],
];

for (const [name, path, act] of VIEWS) {
  test(`${name} is accessible to everybody`, async () => {
    const context = await browser.newContext(SETTINGS);
    const page = await context.newPage();
    await page.goto(server.address + path);
    await act(page);
    await expectAccessible(page);
    await context.close();
  });
}
