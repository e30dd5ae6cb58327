// A line of moves from a starting position, which the board steps through.

import { Chess } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci, parseUci } from 'chessops/util';
import { normalizeMove } from 'chessops/chess';

export interface Line {
  /** The starting position. */
  readonly fen: string;
  /** The moves in UCI notation. */
  readonly moves: readonly string[];
}

export const START: Line = { fen: INITIAL_FEN, moves: [] };

/** The position of a FEN of four or six fields, or what is wrong with it. */
export function readFen(fen: string): Chess | string {
  const setup = parseFen(fen.trim());
  if (setup.isErr) return 'This is not a FEN. A FEN looks like “8/8/4k3/8/8/4K3/4P3/8 w - - 0 1”.';
  const position = Chess.fromSetup(setup.value);
  if (position.isErr) return `Invalid position: ${REASONS[position.error.message] ?? 'it breaks the rules'}.`;
  return position.value;
}

const REASONS: Record<string, string> = {
  ERR_EMPTY: 'the board is empty',
  ERR_KINGS: 'each side needs one king',
  ERR_OPPOSITE_CHECK: 'the side that just moved is in check',
  ERR_PAWNS_ON_BACKRANK: 'a pawn is on the first or last rank',
  ERR_IMPOSSIBLE_CHECK: 'this check is impossible',
  ERR_VARIANT: 'it breaks the rules',
};

/** The first position of a line. */
function begin(line: Line): Chess {
  const position = readFen(line.fen);
  return typeof position === 'string' ? Chess.default() : position;
}

/** A move in UCI notation, if it is legal here. */
export function legal(position: Chess, uci: string): Move | undefined {
  const move = parseUci(uci);
  if (!move) return undefined;
  const normal = normalizeMove(position, move);
  return position.isLegal(normal) ? normal : undefined;
}

export interface Step {
  readonly san: string;
  readonly uci: string;
  readonly fen: string;
}

/** The moves of a line with the positions they lead to, up to the first illegal move. */
export function steps(line: Line): Step[] {
  const position = begin(line);
  const found: Step[] = [];
  for (const uci of line.moves) {
    const move = legal(position, uci);
    if (!move) break;
    const san = makeSan(position, move);
    position.play(move);
    found.push({ san, uci, fen: makeFen(position.toSetup()) });
  }
  return found;
}

/** The position after the first `at` moves. */
export function positionAt(line: Line, at: number): Chess {
  const position = begin(line);
  for (const uci of line.moves.slice(0, at)) {
    const move = legal(position, uci);
    if (!move) break;
    position.play(move);
  }
  return position;
}

export const fenAt = (line: Line, at: number): string => makeFen(positionAt(line, at).toSetup());

/** A move in SAN or UCI notation, as UCI. */
export function readMove(position: Chess, text: string): string | undefined {
  const tidy = text.trim().replace(/^\d+\.+\s*/, '');
  const move = legal(position, tidy.toLowerCase()) ?? parseSan(position, tidy.replace(/0/g, 'O'));
  return move && standardUci(position, move);
}

/** Castling as the king's move, as in UCI without Chess960. */
export function standardUci(position: Chess, move: Move): string {
  if (
    'from' in move &&
    position.board.getRole(move.from) === 'king' &&
    position.board[position.turn].has(move.to)
  ) {
    const side = move.to > move.from ? 2 : -2;
    return makeUci({ from: move.from, to: move.from + side });
  }
  return makeUci(move);
}

export interface Read {
  readonly line: Line;
  readonly at: number;
  /** A remark for the reader. */
  readonly note?: string;
}

/**
 * Reads a FEN or moves in UCI notation. Returns what is wrong as a string, and nothing if the text is
 * something else, such as a PGN game.
 */
export function readPosition(text: string): Read | string | undefined {
  const tidy = text.trim();
  if (!tidy) return 'The text is empty.';
  if (/^([1-8a-zA-Z]+\/){7}/.test(tidy)) {
    const position = readFen(tidy);
    if (typeof position === 'string') return position;
    return { line: { fen: makeFen(position.toSetup()), moves: [] }, at: 0 };
  }
  return readUci(tidy);
}

/** Moves in UCI notation from the starting position, as engines and their logs write them. */
function readUci(text: string): Read | string | undefined {
  const form = /^(?:position\s+)?(?:startpos\s+(?:moves\s+)?|fen\s+(.+?)\s+moves\s+)?(.*)$/s;
  const [, given = START.fen, rest = ''] = form.exec(text) ?? [];
  const moves = rest
    .toLowerCase()
    .split(/[\s,.;]+/)
    .filter(Boolean);
  if (moves.length === 0 || !moves.every((it) => /^[a-h][1-8][a-h][1-8][qrbn]?$/.test(it))) return undefined;
  const position = readFen(given);
  if (typeof position === 'string') return position;
  const line = { fen: makeFen(position.toSetup()), moves };
  const legalMoves = steps(line).map((it) => it.uci);
  const wrong = moves[legalMoves.length];
  if (wrong && legalMoves.length === 0) return `“${wrong}” is not legal in the starting position.`;
  const note = wrong ? `Showing the moves up to the illegal move “${wrong}”.` : undefined;
  return { line: { ...line, moves: legalMoves }, at: legalMoves.length, ...(note ? { note } : {}) };
}

/** The position with colors swapped and the board turned over. */
export function swapColors(fen: string): string {
  const [board = '', turn = 'w', castling = '-', ep = '-', ...clocks] = fen.split(' ');
  const swapCase = (text: string) =>
    [...text].map((it) => (it === it.toLowerCase() ? it.toUpperCase() : it.toLowerCase())).join('');
  const rights = castling === '-' ? '-' : [...swapCase(castling)].sort().join('');
  const square = ep === '-' ? '-' : `${ep[0]}${9 - Number(ep[1])}`;
  return [
    swapCase(board.split('/').reverse().join('/')),
    turn === 'w' ? 'b' : 'w',
    rights,
    square,
    ...clocks,
  ].join(' ');
}
