// The pattern board: drawn and written, counted while it is drawn, kept by name.

import { expect, test } from 'vitest';

import { Reader } from './reader';

const reader = new Reader();
const { seen, count, text } = reader;

const query = () => reader.page.inputValue('textarea[name=pattern]');
const square = (name: string) => reader.page.locator(`[data-square=${name}]`).click();
const choose = (name: string) =>
  reader.page.locator('.pattern-tools').getByRole('button', { name, exact: true }).click();
/** Waits until the list answers a query. */
const answered = (query: string) =>
  expect.poll(() => reader.page.getAttribute('.find', 'data-query')).toBe(query);
/** How many games a query has. */
const games = async (query: string) => {
  await answered(query);
  return Number(/([\d,]+) games/.exec(await text('.find .summary'))?.[1]?.replace(/,/g, ''));
};

test('a pattern is drawn, counted and found', async () => {
  await reader.open('/?view=find');
  await seen('.pattern-grid');
  await choose('white pawn');
  await square('d4');
  await expect.poll(query).toBe('Pd4');
  const many = await games('Pd4');
  expect(many).toBeGreaterThan(5000);
  await choose('white knight');
  await square('d5');
  await choose('white bishop');
  await square('d5');
  await expect.poll(query).toBe('Pd4 [NB]d5');
  expect(await games('Pd4 [NB]d5')).toBeLessThan(many);
  await choose('empty');
  await square('c3');
  await choose('any black piece');
  await reader.page.getByLabel('must not be there').check();
  await square('e5');
  await choose('Attack: click the attacker, then the square');
  await square('d5');
  await square('f6');
  const drawn = '_c3 Pd4 [NB]d5 not ae5 d5->f6';
  await expect.poll(query).toBe(drawn);
  expect(await count('.pattern-board svg path')).toBe(1);
  const one = await games(drawn);
  await reader.page.getByLabel('either color').check();
  await expect.poll(query).toBe(`flipcolor {${drawn}}`);
  expect(await games(`flipcolor {${drawn}}`)).toBeGreaterThan(one);
  await reader.page.selectOption('select[name=pattern-turn]', 'btm');
  await reader.page.fill('input[name=pattern-plies]', '2');
  await reader.page.press('input[name=pattern-plies]', 'Tab');
  await expect.poll(query).toMatch(/^line --> \{flipcolor \{btm .*\}\}\{2\}$/);
  // A reload and Back keep the pattern.
  await reader.page.reload();
  await expect.poll(query).toMatch(/^line -->/);
  await reader.page.selectOption('select[name=find-order]', 'likeness');
  await reader.page.getByRole('button', { name: 'Clear the pattern' }).click();
  await expect.poll(query).toBe('');
});

test('a query is written, drawn as far as possible, and its faults are told', async () => {
  await reader.open('/?view=find');
  await reader.page.fill('textarea[name=pattern]', 'Ke1 rh2');
  await expect.poll(() => reader.page.getAttribute('[data-square=h2]', 'aria-label')).toBe('h2: black rook');
  await reader.page.fill('textarea[name=pattern]', '@iqp');
  await expect.poll(() => text('.pattern')).toContain('cannot draw all');
  await answered('@iqp');
  await reader.page.locator('.find .card .open').first().click();
  await seen('.viewer .moves [aria-current], .viewer .moves');
  await reader.page.keyboard.press('Escape');
  await reader.page.fill('textarea[name=pattern]', 'Pd4 or or');
  await expect.poll(() => text('.find .fault')).toContain('Column 8');
});

test('the board names its structures, and queries are saved by name', async () => {
  await reader.open('/?view=find');
  await expect.poll(() => text('.named')).toContain('@iqp');
  await reader.page.locator('.named button').first().click();
  await expect.poll(query).toBe('@iqp');
  reader.page.on('dialog', (dialog) => void dialog.accept('My structure'));
  await reader.click('Save');
  await reader.page.fill('textarea[name=pattern]', '');
  await reader.page.reload();
  await reader.page.selectOption('select[name=saved]', 'My structure');
  await expect.poll(query).toBe('@iqp');
  await reader.click('Forget');
  await expect.poll(() => count('select[name=saved] option')).toBe(1);
});
