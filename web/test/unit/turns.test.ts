import { describe, expect, test } from 'vitest';

import { START } from '../../src/line';
import { HOME, type Place } from '../../src/place';
import { isDue, takenBack } from '../../src/turns';

const MOVES = ['e2e4', 'e7e5', 'g1f3'];

/** A game against the engine, which plays Black, after `played` moves. */
const game = (played: number, at = played): Place => ({
  ...HOME,
  view: 'play',
  line: { fen: START.fen, moves: MOVES.slice(0, played) },
  at,
  engine: 'black',
});

describe('the engine’s move is due', () => {
  test.each<[string, Place, Place | undefined]>([
    ['after a move', game(1), game(0)],
    ['after another move than before', game(1), game(3, 0)],
    ['on coming to play', game(1), { ...game(1), view: 'similar' }],
    ['on opening a link', game(1), undefined],
  ])('%s', (_, now, before) => {
    expect(isDue(now, before, 'go')).toBe(true);
  });

  test('after a change of sides', () => {
    expect(isDue({ ...game(2), engine: 'white' }, game(2), 'adjust')).toBe(true);
  });
});

describe('the engine’s move is not due', () => {
  test('after the browser’s Back or Forward', () => {
    expect(isDue(game(1), game(2), 'history')).toBe(false);
    expect(isDue(game(1), game(0), 'history')).toBe(false);
    expect(isDue(game(1), { ...game(1), view: 'similar' }, 'history')).toBe(false);
  });

  test('after a walk, also to the end', () => {
    expect(isDue(game(3, 1), game(3, 2), 'adjust')).toBe(false);
    expect(isDue(game(3), game(3, 2), 'adjust')).toBe(false);
  });

  test('where moves come after', () => {
    expect(isDue(game(3, 1), { ...game(3, 1), view: 'similar' }, 'go')).toBe(false);
    expect(isDue(game(3, 1), undefined, 'go')).toBe(false);
  });

  test('when a game is opened, another is pasted, or on another view', () => {
    expect(isDue({ ...game(1), game: { id: 1, ply: 2 } }, game(1), 'go')).toBe(false);
    expect(isDue(game(3), game(0), 'go')).toBe(false);
    expect(isDue({ ...game(1), view: 'similar' }, game(0), 'go')).toBe(false);
  });
});

describe('taking back', () => {
  test.each([
    ['two moves when it is one’s own turn', 2, 'black', 0],
    ['one while the engine thinks, or after mating it', 3, 'black', 2],
    ['nothing at the beginning', 0, 'black', undefined],
    ['nothing if only the engine moved', 1, 'white', undefined],
    ['the first move, if the engine has White', 2, 'white', 1],
  ] as const)('%s', (_, at, engine, to) => {
    expect(takenBack({ ...game(3, at), engine })).toBe(to);
  });
});
