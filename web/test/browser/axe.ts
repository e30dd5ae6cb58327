// axe-core finds no serious fault on a page, in either theme, on desktop and phone.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

/** The page's policy blocks foreign scripts such as axe. */
export const SETTINGS = { viewport: { width: 1280, height: 900 }, bypassCSP: true };

/** Fails if axe finds a serious fault. The page needs the settings above. */
export async function expectAccessible(page: Page): Promise<void> {
  // While an answer is awaited, the last one is faint.
  await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
  await page.evaluate(AXE);
  for (const [colorScheme, width] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await faults(page), `${colorScheme} ${width}`).toEqual([]);
  }
}

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
