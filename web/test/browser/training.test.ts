// A reader reviews a game, practices what was missed, and prepares for an opponent.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect, test } from 'vitest';

import { SETTINGS, expectAccessible } from './axe';
import { Reader } from './reader';

const exercise = (fen: string, name: string, themes: string, moves: string) =>
  `[SetUp "1"]\n[FEN "${fen}"]\n[PuzzleId "${name}"]\n[Themes "${themes}"]\n[Rating "900"]\n\n${moves} *\n\n`;

const GAMES =
  exercise('6k1/5ppp/8/8/8/8/5PPP/R2R2K1 b - - 0 1', 'rooks', 'mate', '1... h6 2. Rd8+ Kh7 3. Raa8') +
  exercise(
    'r1bqkb1r/pppp1ppp/2n5/4p2Q/2B1n3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4',
    'scholar',
    'mate attackingF2F7',
    '4... d6 5. Qxf7#',
  ) +
  '[White "Anna"]\n[Black "Berta"]\n[Date "2021.??.??"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 g6 1-0\n\n' +
  '[White "Clara"]\n[Black "Anna"]\n[Date "2022.??.??"]\n[Result "1-0"]\n\n1. e4 c5 2. Nf3 d6 1-0\n';

/** A collection with two exercises and two games. */
function collection(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tabiya-training-'));
  const pgn = join(folder, 'games.pgn');
  writeFileSync(pgn, GAMES);
  const program = resolve(process.env['TABIYA'] ?? '../target/debug/tabiya');
  const made = spawnSync(program, ['index', pgn, '--db', join(folder, 'exercises')], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return join(folder, 'exercises');
}

const reader = new Reader('--db', collection());
const { seen, count, text } = reader;

const GAME = '/?view=review&fen=start&moves=e2e4.e7e5.f1c4.b8c6.d1h5.g8f6.h5f7';

test(
  'a review shows the curve and the blunder, goes to the move, and offers practice',
  { timeout: 120_000 },
  async () => {
    await reader.open(GAME);
    await reader.page.selectOption('select[name=depth]', { index: 0 });
    await reader.click('Review this game');
    await seen('.moment');
    expect(await text('.moment-head')).toContain('3...Nf6 is a blunder');
    expect(await text('.moment')).toContain('It allows Qxf7#, with mate in one move.');
    expect(await count('.curve circle')).toBe(1);
    await reader.page.locator('.moment-head').click();
    await expect.poll(() => reader.page.url()).toContain('at=5');
    // The review stays while the reader steps through the game, and after a reload.
    expect(await count('.moment[data-here]')).toBe(1);
    await reader.page.reload();
    await seen('.moment[data-here]');
    // The curve ends with White's mate at the top.
    const points = (await reader.page.getAttribute('.curve polyline', 'points')) ?? '';
    expect(Number(points.split(',').at(-1))).toBeLessThan(10);
    await reader.click('Practice exercises like this');
    await seen('.train-board');
    expect(reader.page.url()).toContain('view=train');
  },
);

test(
  'an exercise is solved with the replies, an alternative counts, a wrong move does not',
  { timeout: 120_000 },
  async () => {
    await reader.open('/?view=train');
    await seen('.train .empty');
    await reader.page.uncheck('input[name=herrings]');
    await reader.click('Train');
    await seen('.train-board');
    const type = async (move: string) => {
      await reader.page.fill('input[name=move]', move);
      await reader.page.press('input[name=move]', 'Enter');
    };
    await type('Rd8+');
    await expect.poll(() => text('.train-said')).toContain('The reply is Kh7');
    // The other rook to the eighth rank is the solution; so is anything as good.
    await type('Raa8');
    await expect.poll(() => text('.train-said')).toContain('Solved');
    await expect.poll(() => text('.train-said')).toContain('It comes back in');
    await reader.click('Add to the set');
    // A reload goes on with the next exercise, and keeps the set.
    await reader.page.reload();
    await expect.poll(() => text('.train-body')).toContain('Exercise 2 of 2');
    expect(await text('.lesson ol li')).toContain('rooks');
    await type('a3');
    await seen('.failed');
    expect(await text('.train-said')).toContain('The solution is Qxf7#.');
    await reader.click('Add to the set');
    await reader.click('Move scholar up');
    expect(await text('.lesson ol li')).toContain('scholar');
    const link = reader.page.locator('.lesson a').first();
    expect(await link.getAttribute('href')).toContain('format=pgn');
    const saved = await reader.page.request.get(
      new URL((await link.getAttribute('href')) ?? '', reader.server.address).href,
    );
    expect(await saved.text()).toMatch(/scholar[\s\S]*rooks/);
    await reader.click('Finish');
    await expect.poll(() => text('.train .empty')).toContain('1 of 2 solved');
    await seen('.training-state');
    expect(await text('.training-state')).toContain('attackingF2F7');
  },
);

test('training is accessible to everybody', async () => {
  await reader.open('/?view=train', SETTINGS);
  await seen('.training-state, .train .empty');
  await expectAccessible(reader.page);
  // Another learner has tried nothing.
  await reader.page.fill('input[name=learner]', 'Berta');
  await reader.page.press('input[name=learner]', 'Tab');
  await seen('.train .empty');
  await reader.click('Train');
  await seen('.train-board');
  await reader.click('Add to the set');
  await reader.click('Show the solution');
  await seen('.failed');
  await expectAccessible(reader.page);
});

test('a preparation shows both colors and opens a game', async () => {
  await reader.open('/?view=prepare');
  await reader.page.fill('input[name=against]', 'anna');
  await reader.click('Prepare');
  await seen('.prepared-side');
  expect(await text('.prepared-side')).toContain('With White: 1 game, 100%');
  expect(await count('.prepared-games li')).toBe(2);
  // A reload keeps the opponent, and Back returns to the one before.
  await reader.page.fill('input[name=against]', 'clara');
  await reader.click('Prepare');
  await expect.poll(() => text('.prepared-side')).toContain('With White: 1 game, 100%, last 2022');
  await reader.page.reload();
  await expect.poll(() => text('.prepared-side')).toContain('last 2022');
  await reader.page.goBack();
  await expect.poll(() => text('.prepared-side')).toContain('last 2021');
  expect(await reader.page.inputValue('input[name=against]')).toBe('anna');
  await reader.page.locator('.prepared-games button').first().click();
  await seen('.viewer .moves');
});
