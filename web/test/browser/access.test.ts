// axe-core finds no serious fault on any view, in either theme, on desktop and phone.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Server, launch } from './server';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
  ['nothing found', '/?player=nobody', async (page) => page.locator('.empty').first().waitFor()],
];

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string }[];
}

/** Themes and widths. */
const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['dark', 390],
] as const;

/** The serious faults that axe finds on the page. */
async function faults(page: Page): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe;
    return (await axe.run()).violations;
  });
  const serious = violations.filter((it) => it.impact === 'serious' || it.impact === 'critical');
  return serious.map(
    (it) =>
      `${it.id}: ${it.nodes
        .slice(0, 3)
        .map((node) => node.html)
        .join(' | ')}`,
  );
}

for (const [name, path, act] of VIEWS) {
  test(`${name} is accessible to everybody`, async () => {
    // The page's policy blocks foreign scripts such as axe.
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(server.address + path);
    await act(page);
    // While an answer is awaited, the last one is faint.
    await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
    await page.evaluate(AXE);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      expect(await faults(page), `${colorScheme} ${width}`).toEqual([]);
    }
    await context.close();
  });
}
