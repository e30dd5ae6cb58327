// The explorer, the table of games, the board's look, the engine, and collections.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Reader } from './reader';

const reader = new Reader('--home', mkdtempSync(join(tmpdir(), 'tabiya-home-')));
const { seen, count, text } = reader;

test('the explorer is above the fold, sorted, and clickable by rows', async () => {
  await reader.open('/?fen=start');
  await seen('.explorer td.here .bar');
  await seen('.explorer td.alike .bar');
  const rows = await reader.page.locator('.explorer .row').all();
  expect(rows.length).toBeGreaterThan(10);
  const boxes = await Promise.all(rows.slice(0, 8).map((it) => it.boundingBox()));
  for (const box of boxes) expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThan(768);
  const games = async () =>
    (await reader.page.locator('.explorer td.here.games').allTextContents()).map((it) =>
      Number(it.replace(',', '')),
    );
  expect(await games()).toEqual([...(await games())].sort((one, two) => two - one));
  await reader.page.locator('.explorer thead button').first().click();
  const moves = await reader.page.locator('.explorer button.move').allTextContents();
  expect(moves).toEqual([...moves].sort((one, two) => one.localeCompare(two)));
  await reader.page.locator('.explorer tr:has(button:text-is("e4")) td').first().click();
  await expect.poll(() => text('.explorer h2')).toContain('King’s Pawn'.replace('’', "'"));
  await expect.poll(() => text('.moves.line')).toBe('1.e4');
});

test('the games of a position are a table: sorted, paged, filtered by color, opened at the ply', async () => {
  await reader.open('/?fen=start&moves=e2e4.c7c5.g1f3.d7d6&view=games');
  await seen('.games .row');
  expect(await count('.games .row')).toBe(50);
  await reader.page.locator('.games thead button:text("White")').click();
  const whites = () => reader.page.locator('.games .open').allTextContents();
  await expect.poll(async () => (await whites())[0]?.charAt(0)).toBe('A');
  const first = await whites();
  await reader.click('Next');
  await expect.poll(whites).not.toEqual(first);
  await reader.page.fill('input[name=games-player]', 'Fischer');
  await reader.page.selectOption('select[name=color]', 'black');
  const blacks = () => reader.page.locator('.games .row td:nth-child(2)').allTextContents();
  await expect.poll(async () => (await blacks()).every((it) => it.includes('Fischer'))).toBe(true);
  await reader.page.locator('.games .row td').first().click();
  await seen('.viewer .moves [aria-current]');
  expect(await text('.viewer .moves [aria-current]')).toBe('d6');
  await reader.page.keyboard.press('Escape');
  await reader.page.selectOption('select[name=where]', 'all');
  await reader.page.fill('input[name=games-player]', '');
  await expect.poll(() => text('.games [role=status]')).toBe('20,000 games');
});

test('boards have squares of whole pixels, a mark for the side to move, and a size to choose', async () => {
  await reader.open();
  await seen('.card');
  const sides = await reader.page.$$eval('.board cg-board, .picture cg-board', (boards) =>
    boards.map((it) => it.getBoundingClientRect().width),
  );
  for (const side of sides) expect(side % 8).toBe(0);
  expect(await reader.page.getAttribute('.board .turn', 'title')).toBe('White to move');
  expect(await count('.card .turn')).toBe(await count('.card'));
  const corner = await reader.page.locator('.corner').boundingBox();
  if (!corner) throw new Error('no corner');
  await reader.page.mouse.move(corner.x + 9, corner.y + 9);
  await reader.page.mouse.down();
  await reader.page.mouse.move(corner.x - 91, corner.y - 91, { steps: 4 });
  await reader.page.mouse.up();
  const width = () => reader.page.locator('.board').evaluate((it) => it.getBoundingClientRect().width);
  expect(await width()).toBeLessThan((sides[0] ?? 0) - 80);
  expect((await width()) % 8).toBe(0);
  const chosen = await width();
  await reader.page.reload();
  await seen('.card');
  expect(await width()).toBe(chosen);
  await reader.click('Board and sound');
  const color = () =>
    reader.page.locator('.board cg-board').evaluate((it) => getComputedStyle(it).backgroundImage);
  const before = await color();
  await reader.page.selectOption('select[name=look-board]', 'wood');
  expect(await color()).not.toBe(before);
  await reader.page.selectOption('select[name=look-pieces]', 'figurine');
  expect(await reader.page.inputValue('select[name=look-sound]')).toBe('off');
  await reader.click('Fit the board to the window');
  expect(await width()).toBe(sides[0]);
});

test('the engine thinks beside the board, and stops when it is switched off', async () => {
  await reader.open('/?fen=6k1/5ppp/8/8/8/8/8/R3K3_w_-_-_0_1');
  await seen('.card');
  await reader.page.keyboard.press('e');
  await expect.poll(() => text('.lines .score')).toBe('#1');
  expect(await text('.lines .move')).toBe('Ra8#');
  expect(await text('.lines .known')).toMatch(/played|new here|never/);
  await expect.poll(() => count('.eval:visible')).toBe(1);
  await reader.page.locator('.lines .move').first().click();
  await expect.poll(() => text('.moves.line')).toBe('1.Ra8#');
  await reader.page.keyboard.press('e');
  await expect.poll(() => count('.lines li')).toBe(0);
});

test('dropped games become a collection, asked alone or with others, renamed and deleted', async () => {
  await reader.open();
  await seen('.card');
  const game = (name: string, moves: string) => `[White "${name}"]\n[Result "1-0"]\n\n${moves} 1-0\n\n`;
  const pgn = Array.from({ length: 300 }, (_, at) =>
    game(`Player ${at}`, at % 2 ? '1. e4 e5 2. Nf3 Nc6 3. Bb5' : `1. d4 d5 2. c4 e6 3. Nc3`).replace(
      'Result',
      `Round "${at}"]\n[Result`,
    ),
  ).join('');
  await reader.page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text + '[White "Broken"]\n\n1. e4 e5 2. Ke9 1-0\n'], 'My games.pgn'));
    document.body.dispatchEvent(
      new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
    );
  }, pgn);
  await expect.poll(() => text('.collection')).toMatch(/My games 30\d games/);
  await expect.poll(() => text('.import[data-state=done]')).toContain('games');
  expect(reader.page.url()).toContain('collection=My+games');
  await reader.page.keyboard.press('Escape');
  await expect.poll(() => text('.games [role=status]')).toMatch(/30\d games/);
  await reader.page.reload();
  await expect.poll(() => text('.collection')).toMatch(/My games 30\d games/);
  // Two collections answer as one.
  await reader.page.locator('.collection').click();
  await reader.page.locator('.statistics summary').first().click();
  await expect.poll(() => text('.statistics')).toContain('Players512');
  await reader.page.getByLabel('Ask sample').check();
  await expect.poll(() => text('.collection')).toMatch(/sample \+ My games 20,30\d games/);
  await reader.page.keyboard.press('Escape');
  await reader.page.keyboard.press('l');
  await seen('.card');
  await expect.poll(() => text('.similar .summary')).toMatch(/20,30\d games/);
  reader.page.on('dialog', (dialog) => void dialog.accept('Club'));
  await reader.page.locator('.collection').click();
  await reader.click('Rename My games');
  await seen('.collections button:text("Club")');
  await reader.click('Delete Club');
  await expect.poll(() => count('.collections li')).toBe(1);
});
