import { expect, test } from 'vitest';

import type { Shared } from '../../src/api';
import { differences, shapes, tints } from '../../src/reason';
import { moveNumber, player } from '../../src/words';

const shared = (family: string, square: string): Shared => ({
  term: '',
  family,
  weight: 1,
  share: 0.1,
  words: '',
  square,
  here: [],
  there: [],
});

test('places are rings, relations are arrows', () => {
  expect(shapes(shared('place', 'c3'), ['c3'])).toEqual([{ orig: 'c3', brush: 'place' }]);
  expect(shapes(shared('attack', 'c3'), ['g7', 'a5'])).toEqual([
    { orig: 'g7', dest: 'c3', brush: 'attack' },
    { orig: 'a5', dest: 'c3', brush: 'attack' },
  ]);
});

test('tints show on which squares both have the same piece', () => {
  const [one, two] = ['4k3/8/8/8/8/8/4P3/4K3 w - - 0 1', '4k3/8/8/8/4P3/8/8/4K3 w - - 0 1'];
  expect(Object.fromEntries(tints(one, two))).toEqual({ e1: 'same', e2: 'different', e8: 'same' });
  expect([...differences(two, one).keys()]).toEqual(['e4']);
  expect(tints('nonsense', two).size).toBe(0);
});

test('a player’s rating appears once, if it is known', () => {
  expect(player('Anna', 2500)).toBe('Anna (2500)');
  expect(player('Engine (2500)', 2500)).toBe('Engine (2500)');
  expect(player('Anna', 0)).toBe('Anna');
  expect(player('Anna', null)).toBe('Anna');
  expect(player('Anna (null)', null)).toBe('Anna (null)');
});

test('the score sheet counts', () => {
  expect(moveNumber('8/8/8/8/8/8/8/8 b - - 0 13')).toBe('13…');
  expect(moveNumber('8/8/8/8/8/8/8/8 w - -')).toBe('1.');
});
