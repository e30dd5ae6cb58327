// The page as a person uses it, in a real browser on a real server.

import { expect, test } from 'vitest';

import { Reader } from './reader';

const SICILIAN = 'rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6';
const LEGAL = 'r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5';

const reader = new Reader();
const { server, seen, count, text, fen } = reader;
const open = reader.open.bind(reader);
const type = reader.type.bind(reader);

test('a position is set up and answered', async () => {
  await open();
  await seen('.card');
  await reader.page.keyboard.press('s');
  await reader.page.getByRole('button', { name: 'Clear' }).click();
  expect(await text('.setup .fault')).toContain('empty');
  for (const piece of ['Ke1', 'ke8', 'Ra2', 'pd7']) {
    await reader.page.fill('input[name=place]', piece);
    await reader.page.press('input[name=place]', 'Enter');
  }
  // A piece is also placed by choosing it and clicking a square.
  await reader.page.getByRole('button', { name: 'white queen', exact: true }).click();
  const board = await reader.page.locator('.board cg-board').boundingBox();
  if (!board) throw new Error('no board');
  await reader.page.mouse.click(board.x + board.width * (3.5 / 8), board.y + board.height * (7.5 / 8));
  await reader.page.getByRole('button', { name: 'Search this position' }).click();
  await expect.poll(fen).toBe('4k3/3p4/8/8/8/8/R7/3QK3 w - - 0 1');
  await seen('.card');
  expect(reader.page.url()).toContain('fen=4k3/3p4/8/8/8/8/R7/3QK3_w');
});

test('moves are played by dragging, clicking and typing, and taken back', async () => {
  await open('/?fen=start');
  await seen('.card');
  const board = await reader.page.locator('.board cg-board').boundingBox();
  if (!board) throw new Error('no board');
  const at = (file: number, rank: number) =>
    [board.x + (board.width * (file + 0.5)) / 8, board.y + (board.height * (7.5 - rank)) / 8] as const;
  await reader.page.mouse.move(...at(4, 1));
  await reader.page.mouse.down();
  await reader.page.mouse.move(...at(4, 3), { steps: 4 });
  await reader.page.mouse.up();
  await expect.poll(() => text('.moves.line')).toBe('1.e4');
  await reader.page.mouse.click(...at(4, 6));
  await reader.page.mouse.click(...at(4, 4));
  await expect.poll(() => text('.moves.line')).toBe('1.e4e5');
  await type('Nf3');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf3');
  await reader.page.locator('input[name=position]').blur();
  await reader.page.keyboard.press('ArrowLeft');
  await expect.poll(() => text('.moves [aria-current]')).toBe('e5');
  await reader.page.goBack();
  await reader.page.goBack();
  await expect.poll(() => text('.moves.line')).toBe('1.e4');
});

test('a promotion asks for the piece, and can be canceled', async () => {
  await open('/?fen=8/P6k/8/8/8/8/7K/8_w_-_-_0_1');
  await seen('.board piece');
  const board = await reader.page.locator('.board cg-board').boundingBox();
  if (!board) throw new Error('no board');
  const push = async () => {
    await reader.page.mouse.click(board.x + board.width / 16, board.y + (board.height * 1.5) / 8);
    await reader.page.mouse.click(board.x + board.width / 16, board.y + board.height / 16);
    await reader.page.getByRole('button', { name: 'knight' }).waitFor();
  };
  const pawn = () => count('.board cg-board piece.pawn');
  await push();
  await reader.page.keyboard.press('Escape');
  await reader.page.locator('.promotion').waitFor({ state: 'hidden' });
  expect(await pawn()).toBe(1);
  await push();
  await reader.page.mouse.click(board.x + board.width / 2, board.y + board.height * 0.9);
  await reader.page.locator('.promotion').waitFor({ state: 'hidden' });
  expect(await pawn()).toBe(1);
  await push();
  await reader.page.getByRole('button', { name: 'knight' }).click();
  await expect.poll(fen).toContain('N7/7k');
});

test('the board is flipped and the address keeps it', async () => {
  await open();
  await seen('.card');
  await reader.page.keyboard.press('f');
  await reader.page.locator('.board .orientation-black').waitFor();
  await reader.page.reload();
  await reader.page.locator('.board .orientation-black').waitFor();
});

test('a reason is drawn on both boards', async () => {
  await open();
  await seen('.card .reason');
  await reader.page.locator('.card .reason').first().focus();
  await expect.poll(() => count('.board svg :is(line, circle)')).toBeGreaterThan(0);
  expect(await count('.card svg :is(line, circle)')).toBeGreaterThan(0);
});

test('a game is opened at its ply, walked through, and searched from', async () => {
  await open();
  await seen('.card');
  await reader.page.locator('.card h3 a').first().click();
  await seen('.viewer .moves [aria-current]');
  expect(reader.page.url()).toMatch(/game=\d+\.\d+/);
  const here = await text('.viewer .moves [aria-current]');
  await reader.page.keyboard.press('ArrowRight');
  await expect.poll(() => text('.viewer .moves [aria-current]')).not.toBe(here);
  await reader.page.getByRole('button', { name: 'Search from here' }).click();
  await reader.page.locator('.viewer').waitFor({ state: 'hidden' });
  await seen('.moves.line [aria-current]');
  await reader.page.goBack();
  await reader.page.locator('.viewer[open]').waitFor();
  await reader.page.keyboard.press('Escape');
  await reader.page.locator('.viewer').waitFor({ state: 'hidden' });
});

test('filters, weights and rankings change the list, and more comes on scrolling', async () => {
  await open();
  await seen('.card');
  await reader.page.selectOption('select[name=ranking]', 'blend');
  await expect
    .poll(() => text('.card .badge:has-text("play similarity")'))
    .toMatch(/^play similarity \d+%, was rank/);
  await reader.page.selectOption('select[name=ranking]', 'motif');
  await expect.poll(() => reader.page.url()).toContain('rerank=motif');
  await expect
    .poll(() => text('.card .badge:has-text("play similarity")'))
    .toMatch(/^play similarity \d+%, was rank/);
  await reader.page.reload();
  await expect.poll(() => reader.page.inputValue('select[name=ranking]')).toBe('motif');
  await reader.page.selectOption('select[name=ranking]', 'likeness');
  await reader.page.selectOption('select[name=like]', 'pawns');
  await expect.poll(() => reader.page.url()).toContain('like=pawns');
  await reader.page.selectOption('select[name=like]', '');
  await reader.page.click('button.refine');
  await reader.page.fill('input[name=player]', 'Fischer');
  await expect.poll(() => text('.card h3')).toContain('Fischer');
  await reader.page.fill('input[name=player]', 'nobody at all');
  await expect.poll(() => text('.empty h3')).toBe('Nothing found');
  await reader.page.fill('input[name=player]', '');
  await reader.page.getByRole('button', { name: 'Reset all' }).click();
  await expect.poll(() => count('.card')).toBeGreaterThanOrEqual(8);
  const before = await count('.card');
  await reader.page.locator('.card').last().scrollIntoViewIfNeeded();
  await expect.poll(() => count('.card')).toBeGreaterThan(before);
});

test('what was played is played by a click', async () => {
  await open('/?fen=start');
  await seen('.explorer table');
  await reader.page.locator('.explorer button.move').last().click();
  await seen('.moves.line [aria-current]');
});

test('a trap is played through', async () => {
  await open(`/?view=traps&fen=${LEGAL.replaceAll(' ', '_')}`);
  await seen('.trap.proved');
  await reader.page.locator('.trap-line .bait').first().click();
  await expect.poll(() => text('.moves [aria-current]')).toBe('Bxd1');
});

test('two positions are compared', async () => {
  await open();
  await seen('.card');
  await reader.page.locator('.card-compare').first().click();
  await seen('.measure');
  expect(await count('.measure')).toBe(9);
  const ends = await reader.page.$$eval('.pair svg line', (lines) =>
    lines.map((it) => `${it.getAttribute('x1')} ${it.getAttribute('x2')}`),
  );
  expect(new Set(ends).size, 'arrows that go different ways').toBeGreaterThan(2);
});

test('ten hits are judged by keys, and are there after a kill', async () => {
  await open(`/?view=judge&fen=${SICILIAN.replaceAll(' ', '_')}`);
  await reader.page.fill('input[name=assessor]', 'Anna');
  await reader.page.press('input[name=assessor]', 'Enter');
  for (let judged = 0; judged < 10; judged++) {
    await expect.poll(() => text('.judge-head [role=status]')).toMatch(new RegExp(`^${judged} of`));
    await reader.page.keyboard.press(String(judged % 5));
  }
  await expect.poll(() => text('.judge-head [role=status]')).toMatch(/^10 of/);
  await server.stop('SIGKILL');
  await server.start();
  await reader.page.reload();
  await expect.poll(() => text('.judge-head [role=status]')).toMatch(/^10 of/);
  const qrels = await reader.page.evaluate(() =>
    fetch('/api/v1/judgments/qrels?assessor=Anna').then((it) => it.text()),
  );
  expect(qrels.trim().split('\n').length).toBe(10);
  expect(qrels).toMatch(/^rnbqkb1r\S+ 0 \d+\.\d+ [0-4]$/m);
});

test('a second key does not change a grade while it is being saved', async () => {
  await open(`/?view=judge&fen=${SICILIAN.replaceAll(' ', '_')}`);
  let release = () => {};
  const pressed = new Promise<void>((done) => (release = done));
  await reader.page.route('**/api/v1/judgments', async (route) => {
    await pressed;
    await route.continue();
  });
  await reader.page.fill('input[name=assessor]', 'Berta');
  await reader.page.press('input[name=assessor]', 'Enter');
  await seen('.scale button');
  await reader.page.keyboard.press('1');
  await reader.page.keyboard.press('4');
  release();
  await expect.poll(() => text('.judge-head [role=status]')).toMatch(/^1 of/);
  expect(await count('.scale button:disabled')).toBe(0);
  const qrels = await reader.page.evaluate(() =>
    fetch('/api/v1/judgments/qrels?assessor=Berta').then((it) => it.text()),
  );
  expect(qrels.trim()).toMatch(/^\S+ 0 \d+\.\d+ 1$/);
});

test('the engine replies to a move', async () => {
  await open('/?view=play&fen=start');
  await reader.page.selectOption('select[name=time]', '300');
  await type('e4');
  await expect.poll(() => count('.moves.line li')).toBe(2);
  await expect.poll(() => text('.play-said')).toContain('The engine played');
});

test('a game against the engine is walked, taken back and kept by its address', async () => {
  await open('/?view=play&fen=start&time=300');
  const line = async () => new URL(reader.page.url()).searchParams.get('moves')?.split('.').length ?? 0;
  const said = () => text('.play-said');
  await type('e4');
  await expect.poll(line).toBe(2);
  expect(reader.page.url()).toContain('engine=black');
  // Back shows the engine's turn, and the engine does not move.
  await reader.page.goBack();
  await expect.poll(said).toContain('the engine’s turn');
  await reader.page.goBack();
  await expect.poll(said).toBe('Your move.');
  expect(await line()).toBe(0);
  const asked: string[] = [];
  reader.page.on('request', (it) => asked.push(new URL(it.url()).pathname));
  // The page asks for the engine's move, if at all, right after the games of the position.
  const explored = () => reader.page.waitForResponse('**/api/v1/explore?*');
  await Promise.all([explored(), reader.page.goForward()]);
  expect(asked).not.toContain('/api/v1/play');
  expect(await line()).toBe(1);
  await reader.page.getByRole('button', { name: 'Let it move' }).click();
  await expect.poll(line).toBe(2);
  await reader.page.locator('input[name=position]').blur();
  asked.length = 0;
  await Promise.all([explored(), reader.page.keyboard.press('ArrowLeft')]);
  expect(asked).not.toContain('/api/v1/play');
  expect(await text('.moves [aria-current]')).toBe('e4');
  await reader.page.keyboard.press('ArrowRight');
  // The engine keeps its side on another view and after a reload.
  await reader.page.keyboard.press('l');
  await seen('.card');
  await reader.page.keyboard.press('p');
  await reader.page.reload();
  await expect.poll(said).toBe('Your move.');
  await reader.page.getByRole('button', { name: 'Take back' }).click();
  await expect.poll(() => count('.moves [aria-current]')).toBe(0);
  // The engine replies when the same move is played again.
  await type('e4');
  await expect.poll(said).toContain('The engine played');
  await reader.page.getByRole('button', { name: 'Swap sides' }).click();
  await expect.poll(line).toBe(3);
});

test('taking back a mate takes back one move, and its result', async () => {
  await open('/?view=play&fen=6k1/5ppp/8/8/8/8/8/R3K3_w_-_-_0_1');
  await type('Ra8');
  await expect.poll(() => text('.play-said')).toBe('White won.');
  await reader.page.getByRole('button', { name: 'Take back' }).click();
  await expect.poll(() => text('.play-said')).toBe('Your move.');
  expect(await fen()).toContain('R3K3 w');
});

test('a reader that takes the engine’s side while it thinks is to move', async () => {
  await open('/?view=play&fen=start');
  // The engine thinks until the request is canceled.
  await reader.page.route('**/api/v1/play?*', () => {});
  await type('e4');
  await expect.poll(() => text('.play-said')).toContain('is thinking');
  await reader.page.getByRole('button', { name: 'Swap sides' }).click();
  await expect.poll(() => text('.play-said')).toBe('Your move.');
  expect(await count('.moves.line li')).toBe(1);
});

test('the engine shows the cases behind its move, and opens their games', async () => {
  // A Closed Spanish with an early h3: few games have the position, and many one like it.
  const line = 'e2e4.e7e5.g1f3.b8c6.f1b5.a7a6.b5a4.g8f6.e1g1.f8e7.f1e1.b7b5.a4b3.d7d6';
  await open(`/?view=play&fen=start&moves=${line}`);
  await reader.page.selectOption('select[name=time]', '1000');
  await type('h3');
  await expect.poll(() => text('.play-said')).toContain('Remembered moves');
  expect(await count('.play-memory tbody tr')).toBeGreaterThan(0);
  await reader.page.locator('.play-games button').first().click();
  await seen('.viewer[open]');
});

test('an invalid FEN is rejected with a reason, a game is pasted', async () => {
  await open();
  await seen('.card');
  await type('8/8/8/8/8/8/8/8 w - - 0 1');
  await expect.poll(() => text('.notice.fault')).toContain('Invalid position');
  await reader.page.locator('input[name=position]').blur();
  await reader.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', '1. d4 d5 2. c4 e6 *');
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  });
  await expect.poll(() => text('.moves.line')).toBe('1.d4d52.c4e6');
  // The field keeps the line breaks between several games.
  await reader.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', '[White "Anna"]\n\n1. e4 e5 *\n\n[White "Berta"]\n\n1. c4 c5 *\n');
    const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.querySelector('input[name=position]')?.dispatchEvent(paste);
  });
  await expect.poll(() => text('.moves.line')).toBe('1.e4e5');
  await expect.poll(() => text('.notice')).toContain('first of 2 games');
});

test('the server goes away and comes back', async () => {
  await open();
  await seen('.card');
  await server.stop();
  await type('d5');
  await reader.page.locator('.away').waitFor();
  expect(await text('.empty h3')).toContain('is not responding');
  await server.start();
  await reader.page.locator('.away').waitFor({ state: 'hidden' });
  await seen('.card');
});

test('everything can be done with the keyboard alone', async () => {
  await open();
  await seen('.card');
  await reader.page.keyboard.press('?');
  await reader.page.locator('.help[open]').waitFor();
  await reader.page.keyboard.press('Escape');
  await reader.page.keyboard.press('m');
  await reader.page.keyboard.type('d5');
  await reader.page.keyboard.press('Enter');
  await expect.poll(() => text('.moves.line')).toContain('d5');
  await seen('.card');
  // From the field to the first card's game, and into it.
  for (let tabs = 0; tabs < 60; tabs++) {
    await reader.page.keyboard.press('Tab');
    if (await reader.page.evaluate(() => document.activeElement?.matches('.card h3 a'))) break;
  }
  await reader.page.keyboard.press('Enter');
  await reader.page.locator('.viewer[open]').waitFor();
  await reader.page.keyboard.press('Escape');
  await reader.page.locator('.viewer').waitFor({ state: 'hidden' });
  await reader.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await reader.page.keyboard.press('t');
  await seen('.traps .summary');
});

test('dark mode follows the system', async () => {
  await open('/', { colorScheme: 'dark' });
  const dark = await reader.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await reader.page.emulateMedia({ colorScheme: 'light' });
  const light = await reader.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(dark).not.toBe(light);
});

test('a phone shows everything without scrolling sideways', async () => {
  await open('/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await seen('.card');
  const tabs = await reader.page.getByRole('tab').allTextContents();
  expect(tabs.length).toBe(10);
  for (const tab of tabs) {
    await reader.page.getByRole('tab', { name: tab }).tap();
    await expect.poll(() => text('[role=tab][aria-selected=true]')).toBe(tab);
    await expect.poll(() => count('[aria-busy]')).toBe(0);
    const wide = await reader.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, tab).toBeLessThanOrEqual(390);
  }
});

test('the first view is small', async () => {
  await open();
  await seen('.card');
  const bytes = await reader.page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .concat(performance.getEntriesByType('navigation'))
      .reduce((sum, it) => sum + (it as PerformanceResourceTiming).transferSize, 0),
  );
  expect(bytes).toBeLessThan(120_000);
});
