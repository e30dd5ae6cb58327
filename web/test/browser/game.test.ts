// A game on the board is a tree that the reader makes, annotates, saves and shares.

import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { Reader } from './reader';

const reader = new Reader();
const { seen, count, text, fen } = reader;

/** The middle of a square of the board, White below. */
async function square(name: string): Promise<[number, number]> {
  const board = await reader.page.locator('.board cg-board').boundingBox();
  if (!board) throw new Error('no board');
  const [file, rank] = ['abcdefgh'.indexOf(name.charAt(0)), Number(name.charAt(1)) - 1];
  return [board.x + (board.width * (file + 0.5)) / 8, board.y + (board.height * (7.5 - rank)) / 8];
}

async function play(...moves: string[]): Promise<void> {
  for (const move of moves) {
    await reader.type(move);
    await expect.poll(() => text('.moves [aria-current]')).toBe(move);
  }
  await reader.page.keyboard.press('Escape');
}

async function saved(command: string): Promise<string> {
  await reader.page.locator('.desk .menu summary').click();
  const [file] = await Promise.all([reader.page.waitForEvent('download'), reader.click(command)]);
  return readFileSync((await file.path()) ?? '', 'utf8');
}

test('another move begins a variation, which is promoted, deleted and brought back', async () => {
  await reader.open('/?fen=start');
  await play('e4', 'e5', 'Nf3');
  await reader.page.keyboard.press('ArrowLeft');
  await play('Nc3', 'Nf6');
  expect(await text('.moves.line')).toBe('1.e4e52.Nf32.Nc3Nf6');
  expect(await count('.aside-line')).toBe(1);
  await reader.click('Make this variation the main line');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nc32.Nf32…Nf6');
  // A reload keeps the variations, and so does Back.
  await reader.page.reload();
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nc32.Nf32…Nf6');
  await reader.page.goBack();
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf32.Nc3Nf6');
  await reader.page.keyboard.press('Delete');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf32.Nc3');
  await reader.page.keyboard.press('Control+z');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf32.Nc3Nf6');
  await reader.page.keyboard.press('Control+y');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf32.Nc3');
  await reader.page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => text('.moves [aria-current]')).toBe('Nf3');
});

test('comments, glyphs, arrows and circles go into the PGN and come back', async () => {
  await reader.open('/?fen=start');
  await play('e4', 'c5');
  await reader.page.keyboard.press('1');
  await expect.poll(() => text('.moves [aria-current]')).toBe('c5!');
  await reader.page.keyboard.press('#');
  await reader.page.keyboard.type('The Sicilian');
  await reader.page.keyboard.press('Escape');
  await expect.poll(() => text('.moves.line')).toContain('The Sicilian');
  await reader.page.mouse.move(...(await square('g1')));
  await reader.page.mouse.down({ button: 'right' });
  await reader.page.mouse.move(...(await square('f3')), { steps: 3 });
  await reader.page.mouse.up({ button: 'right' });
  await reader.page.mouse.click(...(await square('d4')), { button: 'right', delay: 150 });
  const pgn = await saved('Save PGN');
  expect(pgn).toMatch(/c5 \$1 \{ The Sicilian \[%csl Gd4\] ?\[%cal Gg1f3\] \}/);
  await reader.open('/?fen=start');
  await seen('.card');
  await reader.paste(pgn);
  await expect.poll(() => text('.moves.line')).toContain('c5!The Sicilian');
  await expect.poll(() => count('.board .cg-shapes circle')).toBe(1);
  expect(await saved('Save PGN')).toBe(pgn);
});

test('a game with variations and comments is read whole', async () => {
  await reader.open('/?fen=start');
  await seen('.card');
  await reader.paste('[White "Anna"]\n\n1. e4 {best by test} e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 $1 *');
  await expect.poll(() => count('.aside-line')).toBe(2);
  await reader.page.locator('.aside-line button:text("c3")').click();
  await expect.poll(fen).toContain('2P5');
  const address = reader.page.url();
  expect(address).toContain('moves=e2e4.c7c5.c2c3');
});

test('FEN, link and diagram are copied and saved', async () => {
  await reader.open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await seen('.card');
  const read = () => reader.page.evaluate(() => navigator.clipboard.readText());
  const choose = async (command: string) => {
    await reader.page.locator('.desk .menu summary').click();
    await reader.click(command);
  };
  await choose('Copy FEN');
  await expect.poll(read).toBe(await fen());
  await choose('Copy link');
  await expect.poll(read).toContain('http://127.0.0.1');
  await choose('Copy PGN');
  await expect.poll(read).toContain('[SetUp "1"]');
  const svg = await saved('Save diagram as SVG');
  expect(svg.match(/<image /g)?.length).toBe(28);
  expect(svg).toContain('data:image/svg+xml');
  await reader.page.locator('.desk .menu summary').click();
  const [png] = await Promise.all([
    reader.page.waitForEvent('download'),
    reader.click('Save diagram as PNG'),
  ]);
  const bytes = readFileSync((await png.path()) ?? '');
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.length).toBeGreaterThan(10_000);
});

test('hits and games are saved as PGN', async () => {
  await reader.open();
  await seen('.card');
  const save = async (selector: string) => {
    const [file] = await Promise.all([
      reader.page.waitForEvent('download'),
      reader.page.locator(selector).first().click(),
    ]);
    return readFileSync((await file.path()) ?? '', 'utf8');
  };
  const cards = await count('.card');
  const pgn = await save('.save-hits');
  expect(pgn.match(/^\[White /gm)?.length).toBeGreaterThanOrEqual(Math.min(cards, 8));
  await reader.page.keyboard.press('g');
  await seen('.games .row');
  expect((await save('.games-head a')).match(/^\[White /gm)?.length).toBe(3);
  await reader.page.locator('.games .row').first().click();
  await seen('.viewer .moves [aria-current]');
  expect(await save('.viewer [aria-label="Save the game as PGN"]')).toContain('[White "');
});
