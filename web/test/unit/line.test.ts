import { describe, expect, test } from 'vitest';

import { START, fenAt, positionAt, readFen, readMove, steps, swapColors } from '../../src/line';
import type { Line } from '../../src/line';

const after = (...moves: string[]): Line => ({ fen: START.fen, moves });

describe('a line', () => {
  test('names its moves and the positions after them', () => {
    const found = steps(after('e2e4', 'e7e5', 'g1f3'));
    expect(found.map((it) => it.san)).toEqual(['e4', 'e5', 'Nf3']);
    expect(found[2]?.fen).toBe('rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2');
  });

  test('ends at an illegal move', () => {
    expect(steps(after('e2e4', 'e2e4')).length).toBe(1);
    expect(fenAt(after('e2e5'), 1)).toBe(START.fen);
  });
});

describe('moves are read', () => {
  test.each([
    ['e4', 'e2e4'],
    ['e2e4', 'e2e4'],
    ['1. Nf3', 'g1f3'],
    ['Ke2', undefined],
    ['nonsense', undefined],
  ])('%s', (text, uci) => {
    expect(readMove(positionAt(START, 0), text)).toBe(uci);
  });

  test('castling is the king’s move', () => {
    const position = positionAt({ fen: 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', moves: [] }, 0);
    expect(readMove(position, 'O-O')).toBe('e1g1');
    expect(readMove(position, '0-0-0')).toBe('e1c1');
    expect(readMove(position, 'e1g1')).toBe('e1g1');
  });
});

test('colors are swapped, and back again', () => {
  const fen = 'rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b Kkq e3 0 3';
  expect(swapColors(fen)).toBe('rnbqkbnr/pppp1ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQk e6 0 3');
  expect(swapColors(swapColors(fen))).toBe(fen);
  expect(typeof readFen(swapColors(fen))).toBe('object');
});
