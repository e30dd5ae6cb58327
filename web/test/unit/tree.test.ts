import { describe, expect, test } from 'vitest';

import { START } from '../../src/line';
import {
  childrenAt,
  clocksAt,
  hasLine,
  isAside,
  lineThrough,
  noteAt,
  promoted,
  readPgnTree,
  readText,
  treeOf,
  withLine,
  withNote,
  without,
  writePgn,
  type ReadGame as Read,
  type ReadTree,
} from '../../src/tree';

const E4 = treeOf({ fen: START.fen, moves: ['e2e4', 'e7e5', 'g1f3'] });

describe('a tree', () => {
  test('grows a variation where another move is played', () => {
    const tree = withLine(E4, ['e2e4', 'c7c5', 'g1f3']);
    expect(childrenAt(tree, ['e2e4'])?.map((it) => it.san)).toEqual(['e5', 'c5']);
    expect(lineThrough(tree, []).moves).toEqual(['e2e4', 'e7e5', 'g1f3']);
    expect(lineThrough(tree, ['e2e4', 'c7c5']).moves).toEqual(['e2e4', 'c7c5', 'g1f3']);
    expect(hasLine(E4, { fen: START.fen, moves: ['e2e4', 'c7c5'] })).toBe(false);
    expect(isAside(tree, ['e2e4', 'c7c5', 'g1f3'])).toBe(true);
  });

  test('keeps its rest when the same move is played again', () => {
    expect(withLine(E4, ['e2e4'])).toEqual(E4);
  });

  test('is promoted and pruned', () => {
    const tree = withLine(E4, ['e2e4', 'c7c5', 'g1f3']);
    const turned = promoted(tree, ['e2e4', 'c7c5', 'g1f3']);
    expect(lineThrough(turned, []).moves[1]).toBe('c7c5');
    expect(isAside(turned, ['e2e4', 'c7c5'])).toBe(false);
    expect(promoted(turned, ['e2e4', 'c7c5'])).toBe(turned);
    expect(childrenAt(without(turned, ['e2e4', 'c7c5']), ['e2e4'])?.length).toBe(1);
  });

  test('is written and read with everything in it', () => {
    let tree = withLine(E4, ['e2e4', 'c7c5', 'g1f3']);
    tree = withLine(tree, ['d2d4']);
    tree = withNote(tree, ['e2e4', 'c7c5'], { glyphs: [1, 146], comment: 'Sharp, and “new”' });
    tree = withNote(tree, [], { comment: 'Before the game' });
    const shapes = [
      { color: 'red' as const, from: 35, to: 35 },
      { color: 'green' as const, from: 12, to: 28 },
    ];
    tree = withNote(tree, ['e2e4'], { shapes });
    const pgn = writePgn(tree);
    const read = readPgnTree(pgn) as ReadTree;
    expect({ ...read.tree, headers: new Map() }).toEqual({ ...tree, headers: new Map() });
    expect(noteAt(read.tree, ['e2e4']).shapes).toEqual(shapes);
    expect(writePgn(read.tree)).toBe(pgn);
  });

  test('keeps tags, clock times and the start of a variation', () => {
    const pgn =
      '[Event "Test"]\n[Annotator "Anna"]\n\n1. e4 { [%clk 0:10:00] good } ({ or } 1. d4) 1... e5 *';
    const written = writePgn((readPgnTree(pgn) as ReadTree).tree);
    for (const part of ['[Annotator "Anna"]', '[%clk 0:10:00]', 'good', '( { or } 1. d4 )'])
      expect(written).toContain(part);
  });

  test('knows what the clocks showed', () => {
    const read = readPgnTree('1. e4 { [%clk 0:09:58] } e5 { [%clk 0:09:55] } 2. Nf3 *') as ReadTree;
    expect(clocksAt(read.tree, ['e2e4', 'e7e5'])).toEqual(['0:09:55', '0:09:58']);
    expect(clocksAt(read.tree, [])).toBeUndefined();
  });

  test('starts where its FEN says', () => {
    const fen = '8/8/4k3/8/8/4K3/4P3/8 b - - 3 40';
    const tree = treeOf({ fen, moves: ['e6e5', 'e3d3'] });
    const read = readPgnTree(writePgn(tree)) as ReadTree;
    expect(read.tree.fen).toBe(fen);
    expect(lineThrough(read.tree, []).moves).toEqual(['e6e5', 'e3d3']);
  });
});

describe('text is read', () => {
  test('a FEN of four fields', () => {
    const read = readText('8/8/4k3/8/8/4K3/4P3/8 w - -') as Read;
    expect(read.line.fen).toBe('8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
  });

  test('a game with tags, comments and variations', () => {
    const read = readText('[White "Anna"]\n\n1. e4 {best} e5 (1... c5) 2. Nf3 $1 Nc6 *') as Read;
    expect(read.line.moves).toEqual(['e2e4', 'e7e5', 'g1f3', 'b8c6']);
    expect(read.at).toBe(4);
  });

  test('a game up to its first illegal move, with a note', () => {
    const read = readText('1. e4 e5 2. Ke3 *') as Read;
    expect(read.line.moves.length).toBe(2);
    expect(read.note).toContain('Ke3');
  });

  test.each([
    ['e2e4 e7e5', 2],
    ['e2e4,e7e5,e1e3', 2],
    ['position startpos moves d2d4 d7d5', 2],
    ['position fen 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1 moves e3d4', 1],
  ])('moves in UCI notation: %s', (given, moves) => {
    expect((readText(given) as Read).line.moves.length).toBe(moves);
  });

  test.each([
    ['', 'empty'],
    ['hello there', 'neither'],
    ['8/8/8/8/8/8/8/8 w - - 0 1', 'Invalid position'],
    ['8/8/8/8/8/8/8/x w - - 0 1', 'not a FEN'],
  ])('“%s” is rejected with a reason', (text, words) => {
    expect(readText(text)).toContain(words);
  });
});
