import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { START } from '../../src/line';
import { variationOf } from '../../src/variation';

const EXPORTED = readFileSync('../tests/fixtures/annotated-export.pgn', 'utf8');
const [first = '', second = ''] = EXPORTED.split(/(?<=(?:1-0|1\/2-1\/2))\n\n/);
const NOTES = { fen: START.fen, pgn: first };

const sans = (number: number) =>
  variationOf(NOTES, number)
    ?.moves.map((it) => it.san)
    .join(' ');

describe('a variation', () => {
  test('is numbered by where it begins, before those that it holds', () => {
    const expected = [
      'e4 e5 Nf3 d6 d4 exd4',
      'e4 e5 Nf3 d6 Bc4 Be7 c3',
      'e4 e5 Nf3 d6 Bc4 h6 O-O',
      'e4 e5 Nf3 d6 Bc4 Bg4 Nc3',
      'e4 e5 Nf3 Nf6',
      'e4 e5 Nf3 Nc6 Bc4 Bc5 -- d6',
      'e4 e5 Nf3 Nc6 d4',
    ];
    expect(expected.map((_, index) => sans(index + 1))).toEqual(expected);
    expect(sans(12)).toMatch(/Re1 d6 c3 Bg4 h3$/);
    expect(sans(13)).toBeUndefined();
    expect(sans(0)).toBeUndefined();
  });

  test('has its notes and those of the moves before it', () => {
    const careful = variationOf(NOTES, 3);
    expect(careful?.from).toBe(5);
    expect(careful?.moves[0]?.glyphs).toEqual([1]);
    expect(careful?.moves[3]?.comments).toEqual(['Philidor.']);
    expect(careful?.moves[5]).toMatchObject({ glyphs: [6, 6], comments: ['Careful.'] });
    expect(variationOf(NOTES, 4)?.moves.at(-1)?.comments).toEqual(['(not a variation) ; not a comment']);
    expect(variationOf(NOTES, 6)?.comments).toEqual(['before the first move of a variation']);
  });

  test('has a position after each move, also after a null move', () => {
    const passes = variationOf(NOTES, 6)?.moves ?? [];
    expect(passes.map((it) => it.uci).slice(-3)).toEqual(['f8c5', '0000', 'd7d6']);
    expect(passes[6]?.fen).toBe('r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 5 4');
    expect(variationOf(NOTES, 3)?.moves.at(-1)?.uci).toBe('e1g1');
  });

  test('begins from the position of the game', () => {
    const fen = '4k3/8/8/8/8/8/4P3/4K3 b - - 12 40';
    const line = variationOf({ fen, pgn: second }, 1);
    expect(line?.moves.map((it) => it.san)).toEqual(['Kd7', 'Kd2', '--', '--', 'Kc6']);
    expect(line?.moves[0]?.comments).toEqual(['Now']);
    expect(line?.from).toBe(1);
  });

  test('is found also beside a variation without moves', () => {
    const pgn = '[Event "?"]\n\n1. e4 ({No other move.}) (1. d4 (1. c4 c5) 1... d5 (1... f5)) *\n';
    const at = (number: number) => variationOf({ fen: START.fen, pgn }, number);
    expect(at(1)).toEqual({ from: 0, comments: ['No other move.'], moves: [] });
    expect([2, 3, 4].map((it) => at(it)?.moves.map((ply) => ply.san))).toEqual([
      ['d4', 'd5'],
      ['c4', 'c5'],
      ['d4', 'f5'],
    ]);
  });
});
