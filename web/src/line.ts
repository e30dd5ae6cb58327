// A line of moves from a starting position: what the board walks through.

import { Chess } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import { parsePgn, startingPosition } from 'chessops/pgn';
import { makeSan, parseSan } from 'chessops/san';
import type { Move } from 'chessops/types';
import { makeUci, parseUci } from 'chessops/util';
import { normalizeMove } from 'chessops/chess';

export interface Line {
  /** Where it begins. */
  readonly fen: string;
  /** The moves in the notation of engines. */
  readonly moves: readonly string[];
}

export const START: Line = { fen: INITIAL_FEN, moves: [] };

/** The position of a FEN of four or six fields, or why there is none. */
export function readFen(fen: string): Chess | string {
  const setup = parseFen(fen.trim());
  if (setup.isErr) return 'This is not a FEN: it should look like “8/8/4k3/8/8/4K3/4P3/8 w - - 0 1”.';
  const position = Chess.fromSetup(setup.value);
  if (position.isErr)
    return `This position cannot occur: ${REASONS[position.error.message] ?? 'it breaks the rules'}.`;
  return position.value;
}

const REASONS: Record<string, string> = {
  ERR_EMPTY: 'the board is empty',
  ERR_KINGS: 'each side needs one king',
  ERR_OPPOSITE_CHECK: 'the side that just moved is in check',
  ERR_PAWNS_ON_BACKRANK: 'a pawn stands on the first or last rank',
  ERR_IMPOSSIBLE_CHECK: 'this check cannot arise',
  ERR_VARIANT: 'it breaks the rules',
};

/** The first position of a line. */
function begin(line: Line): Chess {
  const position = readFen(line.fen);
  return typeof position === 'string' ? Chess.default() : position;
}

/** A move in the notation of engines, if it is legal here. */
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

/** The moves of a line with their names and what they lead to; ends at a move that is not legal. */
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

/** The position after so many moves. */
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

/** The line that goes on with a move after `at` moves; the old rest is kept if it begins with the same. */
export function extend(line: Line, at: number, uci: string): Line {
  if (line.moves[at] === uci) return line;
  return { fen: line.fen, moves: [...line.moves.slice(0, at), uci] };
}

/** A move as a player or an engine writes it. */
export function readMove(position: Chess, text: string): string | undefined {
  const tidy = text.trim().replace(/^\d+\.+\s*/, '');
  const move = legal(position, tidy.toLowerCase()) ?? parseSan(position, tidy.replace(/0/g, 'O'));
  return move && standardUci(position, move);
}

/** Castling by the king's target, as everybody but chess960 writes it. */
function standardUci(position: Chess, move: Move): string {
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
  /** Something about it that the reader should know. */
  readonly note?: string;
}

/** Reads what was pasted or dropped: a FEN, a PGN game, or moves. A text says what is wrong. */
export function readText(text: string): Read | string {
  const tidy = text.trim();
  if (!tidy) return 'There is nothing to read.';
  if (/^([1-8a-zA-Z]+\/){7}/.test(tidy)) {
    const position = readFen(tidy);
    if (typeof position === 'string') return position;
    return { line: { fen: makeFen(position.toSetup()), moves: [] }, at: 0 };
  }
  return readPgn(tidy);
}

function readPgn(text: string): Read | string {
  const games = parsePgn(text);
  const game = games.find((it) => it.moves.children.length > 0 || it.headers.has('FEN'));
  if (!game) return 'This is neither a FEN nor a game in PGN.';
  const start = startingPosition(game.headers);
  if (start.isErr || !(start.value instanceof Chess))
    return 'This game begins from a position that cannot be read.';
  const position = start.value as Chess;
  const fen = makeFen(position.toSetup());
  const moves: string[] = [];
  let wrong: string | undefined;
  for (const node of game.moves.mainline()) {
    const move = parseSan(position, node.san);
    if (!move) {
      wrong = node.san;
      break;
    }
    moves.push(standardUci(position, move));
    position.play(move);
  }
  if (wrong && moves.length === 0) return `“${wrong}” is not a move here, nor is this a FEN.`;
  const more = games.length > 1 ? `The first of ${games.length} games is shown.` : undefined;
  const note = wrong ? `The game is shown up to “${wrong}”, which is not legal.` : more;
  return { line: { fen, moves }, at: moves.length, note };
}

/** The position with colors exchanged and the board turned over. */
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
