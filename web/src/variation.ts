// A variation of a game as a line of its own. The server gives variations in the game's PGN only.

import type { Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { parseSan } from 'chessops/san';

import type { GameMoves, Ply } from './api';
import { positionAt, standardUci } from './line';

export interface Variation {
  /** Where it leaves the line that it belongs to: the number of moves before its first one. */
  readonly from: number;
  /** What the annotator says before its first move. */
  readonly comments: readonly string[];
  /** All moves from the start of the game to the end of the variation. */
  readonly moves: Ply[];
}

type Note = Pick<Ply, 'san' | 'glyphs' | 'comments'>;

interface OpenLine {
  from: number;
  comments: string[];
  notes: Note[];
}

/** The variation with this number, counted from one in the order of the PGN, if the game has it. */
export function variationOf(game: Pick<GameMoves, 'fen' | 'pgn'>, number: number): Variation | undefined {
  const found = lines(game.pgn)[number];
  if (number < 1 || !found) return undefined;
  const moves = play(positionAt({ fen: game.fen, moves: [] }, 0), found.notes);
  return { from: found.from, comments: found.comments, moves };
}

const TOKEN = /\{([^}]*)\}|;([^\n]*)|\$(\d+)|[()]|[^\s(){};$]+/g;
const RESULT = /^(1-0|0-1|1\/2-1\/2|\*)$/;

/** The game and after it its variations, in the order in which they begin. */
function lines(pgn: string): OpenLine[] {
  // The moves stand after the tags and an empty line.
  const text = pgn.slice(pgn.indexOf('\n\n') + 1);
  let line: OpenLine = { from: 0, comments: [], notes: [] };
  const all = [line];
  const outer: OpenLine[] = [];
  for (const [token, inBraces, toLineEnd, glyph] of text.matchAll(TOKEN)) {
    const last = line.notes.length > line.from ? line.notes.at(-1) : undefined;
    const comment = inBraces ?? toLineEnd;
    if (comment !== undefined) (last ?? line).comments.push(...spoken(comment));
    else if (glyph !== undefined) last?.glyphs.push(Number(glyph));
    else if (token === '(') {
      outer.push(line);
      const notes = line.notes.slice(0, -1);
      line = { from: notes.length, comments: [], notes };
      all.push(line);
    } else if (token === ')') line = outer.pop() ?? line;
    else {
      const san = token.replace(/^\d+\.+/, '');
      if (san && !/^\d+$/.test(san) && !RESULT.test(san)) line.notes.push({ san, glyphs: [], comments: [] });
    }
  }
  return all;
}

/** What a comment says in words, without commands such as `[%clk 0:10:00]`. */
function spoken(comment: string): string[] {
  const words = comment.replace(/\[%[^\]]*\]?/g, '').replace(/\s+/g, ' ');
  return words.trim() ? [words.trim()] : [];
}

/** Moves with the positions they lead to, up to the first illegal move. */
function play(position: Chess, notes: readonly Note[]): Ply[] {
  const moves: Ply[] = [];
  for (const note of notes) {
    const move = note.san === '--' ? undefined : parseSan(position, note.san);
    if (!move && note.san !== '--') break;
    const uci = move ? standardUci(position, move) : '0000';
    if (move) position.play(move);
    else pass(position);
    moves.push({ ...note, uci, fen: makeFen(position.toSetup()) });
  }
  return moves;
}

/** A null move. */
function pass(position: Chess): void {
  position.epSquare = undefined;
  position.halfmoves += 1;
  if (position.turn === 'black') position.fullmoves += 1;
  position.turn = position.turn === 'white' ? 'black' : 'white';
}
