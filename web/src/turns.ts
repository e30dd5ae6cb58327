// Whose turn it is in a game against the engine, and when its move is due.

import { positionAt, type Line } from './line';
import type { Place } from './place';

export const SIDES = ['white', 'black'] as const;
export type Side = (typeof SIDES)[number];

/** How the reader reached a place: by going there, by a small change, or by the browser's Back and Forward. */
export type How = 'go' | 'adjust' | 'history';

export const otherSide = (side: Side): Side => (side === 'white' ? 'black' : 'white');

/** The side that is not to move: the engine's, unless the reader chooses. */
export const opponent = (line: Line, at: number): Side => otherSide(positionAt(line, at).turn);

/** A name for a position of a line, however the reader reached it. */
export const spot = (line: Line, at: number): string => `${line.fen} ${line.moves.slice(0, at).join('.')}`;

/**
 * Whether the engine should move now, if it is its turn: after a move, on entering the play view and
 * after a change of sides. A reader that only steps or goes back wants to look.
 */
export function isDue(now: Place, before: Place | undefined, how: How): boolean {
  if (now.view !== 'play' || how === 'history') return false;
  if (before?.view === 'play' && before.engine !== now.engine) return true;
  if (how === 'adjust' || now.at !== now.line.moves.length) return false;
  return before?.view !== 'play' || isNextMove(now, before);
}

const isNextMove = (now: Place, before: Place): boolean =>
  now.at === before.at + 1 && spot(now.line, before.at) === spot(before.line, before.at);

/** The target of taking back: the last earlier place at which the engine is not to move. */
export function takenBack({ line, at, engine }: Pick<Place, 'line' | 'at' | 'engine'>): number | undefined {
  for (let to = at - 1; to >= 0; to--) if (positionAt(line, to).turn !== engine) return to;
  return undefined;
}
