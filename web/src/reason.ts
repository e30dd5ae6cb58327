// The terms that two positions share, as shapes: rings for places, arrows for relations.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Key } from '@lichess-org/chessground/types';
import { parseBoardFen } from 'chessops/fen';
import { makeSquare } from 'chessops/util';

import type { Shared } from './api';

/** The shapes for one board; `from` holds the squares of the term's pieces on it. */
export function shapes(shared: Shared, from: readonly string[]): DrawShape[] {
  const dest = shared.square as Key;
  return from.map((it) => {
    const orig = it as Key;
    return orig === dest ? { orig, brush: shared.family } : { orig, dest, brush: shared.family };
  });
}

/** Rings around squares. */
export const rings = (squares: readonly string[]): DrawShape[] =>
  squares.map((it) => ({ orig: it as Key, brush: 'place' }));

/** The occupied squares of the first board: `same` if the other has the same piece there, else `different`. */
export function tints(fen: string, other: string): Map<string, string> {
  const [here, there] = [board(fen), board(other)];
  const found = new Map<string, string>();
  if (!here || !there) return found;
  for (const [square, piece] of here) {
    const match = there.get(square);
    const same = match?.role === piece.role && match.color === piece.color;
    found.set(makeSquare(square), same ? 'same' : 'different');
  }
  return found;
}

/** Only the squares on which the boards differ. */
export function differences(fen: string, other: string): Map<string, string> {
  return new Map([...tints(fen, other)].filter(([, kind]) => kind === 'different'));
}

function board(fen: string) {
  const read = parseBoardFen(fen.split(' ')[0] ?? '');
  return read.isOk ? read.value : undefined;
}
