// What once went wrong on the page.

import { expect, test } from 'vitest';

import { Reader } from './reader';

const reader = new Reader();
const { seen, count, text, fen } = reader;

test('Compare agrees with Similar about a hit whose colors are swapped', async () => {
  // The best hit of the other color is one with the other side to move, turned to this view.
  await reader.open('/?symmetry=swap&fen=rnbqkb1r/pp1ppppp/5n2/2p5/2P5/2N5/PP1PPPPP/R1BQKBNR_w_KQkq_-_2_3');
  await seen('.card');
  const cards = await reader.page.locator('.card:has(.badge:text("colors swapped"))').all();
  const turned = cards[0] ?? reader.page.locator('.card').first();
  const similar = parseFloat((await turned.locator('.card-head strong').textContent()) ?? '');
  await turned.locator('.card-compare').click();
  await seen('.measure');
  expect(similar).toBeGreaterThan(60);
  expect(await text('.verdict')).not.toContain('looks different');
  expect(parseFloat(await text('.measure .value'))).toBeGreaterThan(50);
});

test('a filter that leaves no game says so', async () => {
  await reader.open('/?player=Zzzz');
  await expect.poll(() => text('.empty')).toContain('leave 0 of 20,000 games');
  expect(await text('.explorer')).toContain('leave 0 of 20,000 games');
  await reader.open('/?player=Fischer&ply=300-');
  await expect.poll(() => text('.empty')).toMatch(/leave [\d,]+ of 20,000 games/);
});

test('Escape leaves a field, and shortcuts work again', async () => {
  await reader.open();
  await seen('.card');
  await reader.page.keyboard.press('m');
  await reader.page.keyboard.type('f');
  expect(await reader.page.inputValue('input[name=position]')).toBe('f');
  await reader.page.keyboard.press('Escape');
  await reader.page.keyboard.press('f');
  await seen('.board .orientation-black');
});

test('Refine opens below its button, which stays where it is', async () => {
  await reader.open();
  await seen('.card');
  const place = () => reader.page.locator('button.refine').boundingBox();
  const before = await place();
  await reader.page.click('button.refine');
  await seen('.refine-body');
  expect(await place()).toEqual(before);
});

test('an error in a filter appears beside its field', async () => {
  await reader.open();
  await seen('.card');
  await reader.page.click('button.refine');
  await reader.page.fill('input[name=elo]', '3-2');
  await expect.poll(() => text('#fault-elo')).not.toBe('');
  expect(await count('button:text("Try again")')).toBe(0);
  expect(await reader.page.getAttribute('input[name=elo]', 'aria-invalid')).toBe('true');
  await reader.page.fill('input[name=elo]', '2500-');
  await expect.poll(() => text('#fault-elo')).toBe('');
  await reader.open('/?date=soon');
  await expect.poll(() => text('#fault-date')).not.toBe('');
});

test('an invalid position in the address is reported', async () => {
  await reader.open('/?fen=8/8/8/8/8/8/8/8_w_-_-_0_1');
  await expect.poll(() => text('.notice.fault')).toContain('the board is empty');
  expect(await fen()).toContain('rnbqkbnr/pppppppp');
});

test('Judge asks for a name', async () => {
  await reader.open('/?view=judge');
  await reader.click('Start');
  await expect.poll(() => text('.judge .fault')).toContain('Enter your name');
});

test('a server error is one sentence', async () => {
  await reader.open();
  await seen('.card');
  await reader.page.route('**/api/v1/search?*', (route) => route.fulfill({ status: 500, body: '' }));
  await reader.type('d5');
  await expect.poll(() => text('.empty p')).toMatch(/status 500; its log has the reason\.$/);
});

test('moves in UCI notation are pasted', async () => {
  await reader.open();
  await seen('.card');
  await reader.paste('e2e4 e7e5 g1f3 b8c6');
  await expect.poll(() => text('.moves.line')).toBe('1.e4e52.Nf3Nc6');
  await reader.paste('position startpos moves d2d4 d7d5');
  await expect.poll(() => text('.moves.line')).toBe('1.d4d5');
});

test('the name of a trap belongs to its own move', async () => {
  await reader.open('/?view=traps&fen=r2qkbnr/ppp2ppp/2np4/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R_b_KQkq_-_0_5');
  await seen('.trap.proved');
  expect(await text('.trap.proved h3')).toMatch(/Légal|Legal/);
  // A position after 1.e4 e5 2.Nf3 Nc6: its nearest traps only resemble it.
  await reader.open('/?view=traps&fen=r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R_w_KQkq_-_2_3');
  await seen('.trap');
  for (const title of await reader.page.locator('.trap:not(.proved) h3').allTextContents())
    expect(title).toMatch(/^Like /);
});

test('the welcome position occurs in games, with the right side to move', async () => {
  await reader.open();
  await seen('.explorer td.here .bar');
  expect(await text('.explorer')).toContain('Bc2');
});

test('attacks come before x-rays among the reasons', async () => {
  await reader.open();
  await seen('.card .reason');
  const ranks = await reader.page.$$eval('.card', (cards) =>
    cards.map((card) =>
      [...card.querySelectorAll('.reason')].map((it) => (it.classList.contains('ray') ? 1 : 0)),
    ),
  );
  for (const kinds of ranks) expect([...kinds].sort()).toEqual(kinds);
});
