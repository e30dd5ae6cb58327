import { describe, expect, test } from 'vitest';

import description from '../../openapi.json';
import {
  DEFAULTS,
  EVEN,
  HOME,
  RANKINGS,
  fromAddress,
  openedAt,
  toAddress,
  toParameters,
  type Place,
} from '../../src/place';
import { treeOf } from '../../src/tree';

const LINE = { fen: HOME.line.fen, moves: ['d3c2', 'a8c8'] };

describe('a place', () => {
  test.each<[string, Partial<Place>]>([
    ['with defaults', {}],
    ['another view, turned', { view: 'judge', flipped: true }],
    ['in the middle of a line', { line: LINE, tree: treeOf(LINE), at: 1 }],
    [
      'with settings',
      {
        settings: {
          ranking: 'blend',
          like: '',
          deep: false,
          symmetry: 'all',
          weights: { ...EVEN, attack: 2.5, ray: 0 },
          filters: { player: 'Tal & Co', elo: '2500-', ply: '25-' },
          variations: true,
        },
      },
    ],
    ['with best lines', { settings: { ...DEFAULTS, like: 'threats', deep: true } }],
    [
      'with a game and something to compare',
      { game: { id: 12, ply: 30 }, other: '4k3/8/8/8/8/8/8/4K3 w - - 0 1' },
    ],
    ['with a variation of a game', { game: { id: 12, ply: 30, variation: 3 } }],
    ['with the engine’s side and time', { view: 'play', engine: 'white', time: 3000 }],
    ['on another view, with the engine’s side', { engine: 'black' }],
  ])('%s comes back from its address', (_, change) => {
    const place = { ...HOME, ...change };
    expect(fromAddress(toAddress(place))).toEqual(place);
  });

  test.each([
    '?view=nothing&at=99&weights=place=x,center=1&game=x&moves=zz',
    '?at=-3',
    '',
    '?rerank=%00&symmetry=odd&variations=some',
  ])('invalid parts take their defaults: %s', (address) => {
    const place = fromAddress(address);
    expect(place.view).toBe('similar');
    expect(place.at).toBe(0);
    expect(place.settings).toEqual(DEFAULTS);
    expect(place.game).toBeUndefined();
  });

  test('the engine has the side that is not to move, unless the address says which', () => {
    expect(fromAddress('?view=play&fen=start').engine).toBe('black');
    expect(fromAddress('?view=play&fen=start&moves=e2e4').engine).toBe('white');
    expect(fromAddress('?view=play&fen=start&moves=e2e4&engine=black').engine).toBe('black');
    expect(fromAddress('?view=play&fen=start&engine=both&time=7').engine).toBe('black');
    expect(fromAddress('?fen=start').engine).toBeUndefined();
  });

  test('a line ends at its first illegal move', () => {
    const place = fromAddress('?fen=start&moves=e2e4.e7e5.e1e3.g8f6&at=4');
    expect(place.line.moves).toEqual(['e2e4', 'e7e5']);
    expect(place.at).toBe(2);
    expect(fromAddress('?fen=start&moves=e2e4.zz.e7e5').line.moves).toEqual(['e2e4']);
  });

  test.each([
    ['12.30', { id: 12, ply: 30 }],
    ['12', { id: 12, ply: 0 }],
    ['12.-3', { id: 12, ply: 0 }],
    ['12.3e400', { id: 12, ply: 0 }],
    ['1.5.2', { id: 1, ply: 5, variation: 2 }],
    ['1.5.0', { id: 1, ply: 5 }],
    ['1.5.x', { id: 1, ply: 5 }],
    ['1.5.2.7', { id: 1, ply: 5, variation: 2 }],
    ['-1.2', undefined],
  ])('the game of %s', (text, game) => {
    expect(fromAddress(`?game=${text}`).game).toEqual(game);
  });

  test('a hit opens its game, or the variation that it is in', () => {
    const game = { id: 12 };
    expect(openedAt({ game, ply: 30, variation: null })).toEqual({ id: 12, ply: 30 });
    expect(openedAt({ game, ply: 30, variation: 2 })).toEqual({ id: 12, ply: 30, variation: 2 });
  });

  test('a link restores the re-ranking by motif', () => {
    expect(fromAddress('?rerank=motif').settings.ranking).toBe('motif');
  });

  test('a link restores each ranking that the server offers', () => {
    const search = description.paths['/api/v1/search'].get.parameters.find((it) => it.name === 'rerank');
    expect([...RANKINGS].sort()).toEqual([...(search?.schema.enum ?? [])].sort());
    for (const ranking of RANKINGS) {
      const place = { ...HOME, settings: { ...DEFAULTS, ranking } };
      expect(fromAddress(toAddress(place))).toEqual(place);
    }
  });

  test('default settings need no parameters', () => {
    expect(toParameters(DEFAULTS)).toEqual({});
    expect(toParameters({ ...DEFAULTS, filters: { ply: '25-' }, variations: true })).toEqual({
      ply: '25-',
      variations: true,
    });
    expect(toParameters({ ...DEFAULTS, weights: { ...EVEN, ray: 0 } })).toEqual({ weights: 'ray=0' });
  });
});
