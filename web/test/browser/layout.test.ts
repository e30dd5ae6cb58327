// What is where: nothing is hidden, old answers never mix with new ones, and every view survives reload and Back.

import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Reader } from './reader';

const VIEWS = [
  'Similar',
  'Games',
  'Patterns',
  'Traps',
  'Compare',
  'Judge',
  'Play',
  'Review',
  'Train',
  'Prepare',
];

describe('the page', () => {
  const reader = new Reader();
  const { seen, count, text } = reader;

  const bottom = async (name: string) => {
    const box = await reader.page.getByRole('button', { name, exact: true }).first().boundingBox();
    return (box?.y ?? 9999) + (box?.height ?? 0);
  };

  test('menus and panels are in sight at 1366×768', async () => {
    await reader.open();
    await seen('.card');
    await reader.page.locator('.desk .menu summary').click();
    for (const name of ['Copy FEN', 'Save diagram as SVG']) {
      const item = reader.page.getByRole('button', { name, exact: true });
      // The button itself is on top at its middle: no scrolling box cuts it off.
      const isOnTop = await item.evaluate((it) => {
        const { left, top, width, height } = it.getBoundingClientRect();
        return it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
      expect(isOnTop, name).toBe(true);
    }
    await reader.page.keyboard.press('Escape');
    await reader.page.keyboard.press('s');
    await seen('.setup');
    expect(await bottom('Search this position')).toBeLessThan(768);
    await reader.page.keyboard.press('s');
    await reader.page.keyboard.press('?');
    await seen('.help[open]');
    const scrolls = await reader.page
      .locator('.help')
      .evaluate((it) => it.scrollHeight > it.clientHeight + 1);
    expect(scrolls).toBe(false);
  });

  test('the moves of one position never stand beside those of another', async () => {
    await reader.open('/?fen=start');
    await seen('.explorer td.alike .bar');
    // The search for the next position does not end.
    await reader.page.route('**/api/v1/search?*', () => {});
    await reader.type('e4');
    await expect.poll(() => text('.explorer h2')).toContain('King');
    const moves = await reader.page.locator('.explorer-table button.move').allTextContents();
    expect(moves).toContain('c5');
    for (const white of ['e4', 'd4', 'Nf3']) expect(moves).not.toContain(white);
    expect(await count('.explorer td.alike .bar')).toBe(0);
  });

  test('another view asks nothing twice', async () => {
    await reader.open('/?fen=start');
    await seen('.card');
    const asked: string[] = [];
    reader.page.on('request', (it) => asked.push(new URL(it.url()).pathname.replace('/api/v1/', '')));
    await reader.page.keyboard.press('g');
    await seen('.games .row');
    await reader.page.keyboard.press('l');
    await seen('.card');
    expect(asked.filter((it) => it === 'search' || it === 'explore')).toEqual([]);
    expect(asked).toContain('games');
  });

  test('the explorer lists games, which open at the position', async () => {
    await reader.open();
    await seen('.explorer-games .row');
    expect(await count('.explorer-games .row')).toBe(3);
    await reader.page.locator('.explorer-games .row td').first().click();
    await seen('.viewer .moves [aria-current]');
    await reader.page.keyboard.press('Escape');
    await reader.page.locator('.viewer').waitFor({ state: 'hidden' });
    await reader.click('All 3 games');
    await expect.poll(() => count('.games .row')).toBe(3);
  });

  test('a card says in what it is alike, and finds its structure', async () => {
    await reader.open();
    await seen('.card .likeness');
    expect(await text('.card .likeness')).toMatch(/^Alike in \w+/);
    await reader.page.locator('.structure:text("IQP")').first().click();
    await expect.poll(() => reader.page.inputValue('textarea[name=pattern]')).toBe('@iqp');
    await seen('.find .card');
  });

  test('traps with the same line are one trap', async () => {
    await reader.open('/?view=traps&fen=r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R_b_KQkq_-_0_5');
    await seen('.trap.proved');
    const lines = await reader.page.locator('.trap.proved .trap-line').allTextContents();
    expect(new Set(lines).size).toBe(lines.length);
    expect(await text('.trap.proved')).toContain('The same line as in: ');
  });

  test('a number follows a comment in a variation', async () => {
    await reader.open('/?fen=start');
    await seen('.card');
    await reader.paste('1. e4 e5 (1... c5 2. c3 {Alapin} d5) *');
    await expect.poll(() => text('.aside-line')).toBe('1…c52.c3Alapin2…d5');
  });

  test('every view is the same after a reload, and Back returns to the one before', async () => {
    await reader.open('/?fen=start&moves=e2e4.e7e5');
    await seen('.card');
    const chosen = () => text('[role=tab][aria-selected=true]');
    for (const [index, view] of VIEWS.entries()) {
      await reader.page.getByRole('tab', { name: view }).click();
      await expect.poll(chosen).toBe(view);
      await reader.page.reload();
      await expect.poll(chosen).toBe(view);
      await expect.poll(() => text('.moves.line')).toContain('1.e4e5');
      if (index === 0) continue;
      await reader.page.goBack();
      await expect.poll(chosen).toBe(VIEWS[index - 1]);
      await reader.page.goForward();
      await expect.poll(chosen).toBe(view);
    }
  });

  test('everything comes from the server itself', async () => {
    await reader.open();
    const hosts = new Set<string>();
    reader.page.on('request', (it) => hosts.add(new URL(it.url()).host));
    await reader.page.reload();
    await seen('.card');
    for (const view of VIEWS) await reader.page.getByRole('tab', { name: view }).click();
    await seen('.prepare input');
    expect([...hosts].filter(Boolean)).toEqual([new URL(reader.server.address).host]);
  });

  test('a tab on a phone brings its view into sight', async () => {
    await reader.open('/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await seen('.card');
    for (const view of ['Games', 'Compare', 'Similar']) {
      await reader.page.getByRole('tab', { name: view }).tap();
      const top = async () => (await reader.page.locator('#panel').boundingBox())?.y ?? 9999;
      await expect.poll(top, { message: view }).toBeLessThan(400);
      const tab = await reader.page.getByRole('tab', { name: view }).boundingBox();
      expect((tab?.x ?? -1) >= 0 && (tab?.x ?? 999) + (tab?.width ?? 0) <= 390, view).toBe(true);
    }
  });
});

describe('another engine', () => {
  // A UCI program that always sees the same.
  const path = join(mkdtempSync(join(tmpdir(), 'tabiya-engine-')), 'engine');
  writeFileSync(
    path,
    `#!${process.execPath}
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'uci') console.log('id name Oracle\\nuciok');
  if (line === 'isready') console.log('readyok');
  if (line.startsWith('go')) console.log('info depth 9 multipv 1 score cp 33 nodes 1234 pv e2e4 c7c5\\nbestmove e2e4');
  if (line === 'quit') process.exit(0);
});
`,
  );
  chmodSync(path, 0o755);
  const reader = new Reader('--engine', path);

  test('any UCI program thinks beside the board', async () => {
    await reader.open('/?fen=start');
    await reader.seen('.explorer td.here .bar');
    await reader.page.keyboard.press('e');
    await expect.poll(() => reader.text('.lines .score')).toBe('+0.33');
    expect(await reader.text('.lines .move')).toBe('e4');
    expect(await reader.text('.engine-head')).toContain('depth 9 · 1,234 nodes');
    expect(await reader.text('.lines .known')).toMatch(/^played [\d,]+× here/);
  });
});
