import { describe, expect, test } from 'vitest';

import { DEFAULTS, EVEN, HOME, fromAddress, settingsToParts, toAddress, type Place } from '../../src/place';

describe('a place', () => {
  test.each<[string, Partial<Place>]>([
    ['as usual', {}],
    ['another view, turned', { view: 'judge', flipped: true }],
    ['in the middle of a line', { line: { fen: HOME.line.fen, moves: ['c4d5', 'e6d5'] }, at: 1 }],
    [
      'with settings',
      {
        settings: {
          ranking: 'blend',
          symmetry: 'all',
          weights: { ...EVEN, attack: 2.5, ray: 0 },
          filters: { player: 'Tal & Co', elo: '2500-' },
        },
      },
    ],
    [
      'with a game and something to compare',
      { game: { id: 12, ply: 30 }, other: '4k3/8/8/8/8/8/8/4K3 w - - 0 1' },
    ],
  ])('%s comes back from its address', (_, change) => {
    const place = { ...HOME, ...change };
    expect(fromAddress(toAddress(place))).toEqual(place);
  });

  test.each([
    '?view=nothing&at=99&weights=place=x,center=1&game=x&moves=zz',
    '?at=-3',
    '',
    '?rerank=%00&symmetry=odd',
  ])('nonsense is passed over: %s', (address) => {
    const place = fromAddress(address);
    expect(place.view).toBe('similar');
    expect(place.at).toBe(0);
    expect(place.settings).toEqual(DEFAULTS);
    expect(place.game).toBeUndefined();
  });

  test('settings that are as usual are not asked for', () => {
    expect(settingsToParts(DEFAULTS)).toEqual([]);
    expect(settingsToParts({ ...DEFAULTS, weights: { ...EVEN, ray: 0 } })).toEqual([['weights', 'ray=0']]);
  });
});
