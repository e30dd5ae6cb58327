import { expect, test } from 'vitest';

import { glyphs } from '../../src/annotation';

const signs = (numbers: number[]) => glyphs(numbers).map((it) => it.sign);

test('glyphs have the signs that players know', () => {
  expect(signs([1, 2, 3, 4, 5, 6])).toEqual(['!', '?', '!!', '??', '!?', '?!']);
  expect(glyphs([14])).toEqual([{ sign: '+=', meaning: 'White is slightly better', tone: '' }]);
});

test('glyphs praise or blame', () => {
  expect(glyphs([1, 3, 2, 4, 6, 5]).map((it) => it.tone)).toEqual(['good', 'good', 'bad', 'bad', 'bad', '']);
});

test('an unknown glyph has its number, and none appears twice', () => {
  expect(signs([6, 6, 0, 255])).toEqual(['?!', '$255']);
  expect(signs([])).toEqual([]);
});
