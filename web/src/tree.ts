// A game with its variations, comments, glyphs and drawings: a tree of moves. Trees never change;
// an edit returns a new one, so that undo only has to keep the old.

import { Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import {
  ChildNode,
  Node as PgnNode,
  makeComment,
  makePgn,
  parseComment,
  parsePgn,
  startingPosition,
  type CommentShape,
  type Game as PgnGame,
  type PgnNodeData,
} from 'chessops/pgn';
import { makeSan, parseSan } from 'chessops/san';

import { START, legal, readFen, readPosition, standardUci, type Line } from './line';

/** What can be said of a position. */
export interface Note {
  readonly glyphs: readonly number[];
  readonly comment: string;
  readonly shapes: readonly CommentShape[];
}

/** A move and what follows it; the first child is the main line. */
export interface Node extends Note {
  readonly uci: string;
  readonly san: string;
  /** A comment before the move, at the start of a variation. */
  readonly opening: string;
  /** Commands of other programs in the comment, such as clock times. */
  readonly commands: string;
  readonly children: readonly Node[];
}

export interface Tree {
  readonly fen: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly note: Note;
  readonly children: readonly Node[];
}

/** A position of the tree: the moves that lead to it. */
export type Path = readonly string[];

const SILENT: Note = { glyphs: [], comment: '', shapes: [] };

/** A tree of one line. */
export function treeOf(line: Line): Tree {
  const bare: Tree = { fen: line.fen, headers: new Map(), note: SILENT, children: [] };
  return withLine(bare, line.moves);
}

/** The children of a position; undefined if the tree does not have it. */
export function childrenAt(tree: Tree, path: Path): readonly Node[] | undefined {
  let children: readonly Node[] | undefined = tree.children;
  for (const uci of path) children = children?.find((it) => it.uci === uci)?.children;
  return children;
}

export function nodeAt(tree: Tree, path: Path): Node | undefined {
  const last = path.at(-1);
  return last === undefined ? undefined : childrenAt(tree, path.slice(0, -1))?.find((it) => it.uci === last);
}

export const noteAt = (tree: Tree, path: Path): Note =>
  path.length ? (nodeAt(tree, path) ?? SILENT) : tree.note;

/** What the clocks show at a position, if the game has clock times: the side that moved, then the other. */
export function clocksAt(tree: Tree, path: Path): [string, string] | undefined {
  const clock = (at: Path) => /\[%clk ([\d:.]+)\]/.exec(nodeAt(tree, at)?.commands ?? '')?.[1];
  const [last, before] = [clock(path), clock(path.slice(0, -1))];
  return last || before ? [last ?? '–', before ?? '–'] : undefined;
}

/** The line through a position: the moves to it, then the main line from there. */
export function lineThrough(tree: Tree, path: Path): Line {
  const moves = [...path];
  let next = childrenAt(tree, path)?.[0];
  while (next) {
    moves.push(next.uci);
    next = next.children[0];
  }
  return { fen: tree.fen, moves };
}

/** Whether the tree has a line from its start. */
export const hasLine = (tree: Tree, line: Line): boolean =>
  tree.fen === line.fen && childrenAt(tree, line.moves) !== undefined;

/** The tree with a line; moves that it lacks become a variation. Illegal moves end the line. */
export function withLine(tree: Tree, moves: Path): Tree {
  const start = readFen(tree.fen);
  const position = typeof start === 'string' ? Chess.default() : start;
  const add = (children: readonly Node[], at: number): readonly Node[] => {
    const uci = moves[at];
    const move = uci === undefined ? undefined : legal(position, uci);
    if (!uci || !move) return children;
    const known = children.find((it) => it.uci === uci);
    const san = known?.san ?? makeSan(position, move);
    position.play(move);
    const node = known ?? { ...SILENT, uci, san, opening: '', commands: '', children: [] };
    const grown = { ...node, children: add(node.children, at + 1) };
    return known ? children.map((it) => (it === known ? grown : it)) : [...children, grown];
  };
  return { ...tree, children: add(tree.children, 0) };
}

/** The tree with other children at a position. */
function withChildren(tree: Tree, path: Path, change: (children: readonly Node[]) => readonly Node[]): Tree {
  const walk = (children: readonly Node[], at: number): readonly Node[] =>
    at === path.length
      ? change(children)
      : children.map((it) => (it.uci === path[at] ? { ...it, children: walk(it.children, at + 1) } : it));
  return { ...tree, children: walk(tree.children, 0) };
}

/** The tree with another note at a position. */
export function withNote(tree: Tree, path: Path, note: Partial<Note>): Tree {
  const last = path.at(-1);
  if (last === undefined) return { ...tree, note: { ...tree.note, ...note } };
  return withChildren(tree, path.slice(0, -1), (children) =>
    children.map((it) => (it.uci === last ? { ...it, ...note } : it)),
  );
}

/** The tree without a move and what follows it. */
export const without = (tree: Tree, path: Path): Tree =>
  withChildren(tree, path.slice(0, -1), (children) => children.filter((it) => it.uci !== path.at(-1)));

/** The tree with the last variation on the way to a position made the main line there. */
export function promoted(tree: Tree, path: Path): Tree {
  for (let at = path.length; at > 0; at--) {
    const before = path.slice(0, at - 1);
    const uci = path[at - 1];
    if (childrenAt(tree, before)?.[0]?.uci === uci) continue;
    return withChildren(tree, before, (children) => [
      ...children.filter((it) => it.uci === uci),
      ...children.filter((it) => it.uci !== uci),
    ]);
  }
  return tree;
}

/** Whether a position is in a variation. */
export const isAside = (tree: Tree, path: Path): boolean => promoted(tree, path) !== tree;

export interface ReadTree {
  readonly tree: Tree;
  /** The number of games in the text. */
  readonly games: number;
  /** The illegal move at which the main line ends. */
  readonly wrong?: string;
}

/** The first game of a PGN text, with everything in it. */
export function readPgnTree(text: string): ReadTree | string {
  const games = parsePgn(text);
  const game = games.find((it) => it.moves.children.length > 0 || it.headers.has('FEN'));
  if (!game) return 'This is neither a FEN nor a PGN game.';
  const start = startingPosition(game.headers);
  if (start.isErr || !(start.value instanceof Chess)) return 'The starting position of this game is invalid.';
  const position = start.value as Chess;
  let wrong: string | undefined;
  const read = (children: readonly ChildNode<PgnNodeData>[], here: Chess, main: boolean): Node[] =>
    children.flatMap((child, index) => {
      const move = parseSan(here, child.data.san);
      if (!move) {
        if (main && index === 0) wrong = child.data.san;
        return [];
      }
      const after = here.clone();
      const san = makeSan(here, move);
      after.play(move);
      const following = read(child.children, after, main && index === 0);
      const node: Node = {
        uci: standardUci(here, move),
        san,
        ...noteOf(child.data.comments ?? [], child.data.nags ?? []),
        opening: (child.data.startingComments ?? [])
          .map((it) => parseComment(it).text)
          .join(' ')
          .trim(),
        children: following,
      };
      return [node];
    });
  const children = read(game.moves.children, position, true);
  if (wrong && children.length === 0) return `“${wrong}” is neither a legal move nor a FEN.`;
  const fen = game.headers.has('FEN') ? makeFen(position.toSetup()) : START.fen;
  const { commands: _, ...note } = noteOf(game.comments ?? [], []);
  const tree = { fen, headers: game.headers, note, children };
  return { tree, games: games.length, ...(wrong ? { wrong } : {}) };
}

/** A game and the position to show, from pasted or dropped text. */
export interface ReadGame {
  readonly tree: Tree;
  readonly line: Line;
  readonly at: number;
  /** A remark for the reader. */
  readonly note?: string;
}

/** Reads a FEN, a PGN game or moves. Returns what is wrong with the text as a string. */
export function readText(text: string): ReadGame | string {
  const position = readPosition(text);
  if (typeof position === 'string') return position;
  if (position) return { tree: treeOf(position.line), ...position };
  const read = readPgnTree(text.trim());
  if (typeof read === 'string') return read;
  const line = lineThrough(read.tree, []);
  const more = read.games > 1 ? `Showing the first of ${read.games} games.` : undefined;
  const note = read.wrong ? `Showing the game up to the illegal move “${read.wrong}”.` : more;
  return { tree: read.tree, line, at: line.moves.length, ...(note ? { note } : {}) };
}

/** Comments in words, drawings apart from them, and the commands of other programs. */
function noteOf(comments: readonly string[], glyphs: readonly number[]): Note & { commands: string } {
  const read = comments.map((it) => parseComment(it));
  const commands = comments.flatMap((it) => it.match(/\[%(?!cal|csl)[^\]]*\]/g) ?? []);
  return {
    glyphs: [...new Set(glyphs)].filter((it) => it !== 0),
    comment: read
      .map((it) => it.text)
      .join(' ')
      .trim(),
    shapes: read.flatMap((it) => it.shapes),
    commands: commands.join(' '),
  };
}

/** The game as PGN, with everything that was read or added. */
export function writePgn(tree: Tree): string {
  const headers = new Map(tree.headers);
  for (const [name, value] of SEVEN) if (!headers.has(name)) headers.set(name, value);
  if (tree.fen !== START.fen) headers.set('SetUp', '1').set('FEN', tree.fen);
  const root = new PgnNode<PgnNodeData>();
  const write = (parent: PgnNode<PgnNodeData>, nodes: readonly Node[]): void => {
    for (const node of nodes) {
      const comment = commentOf(node, node.commands);
      const child = new ChildNode<PgnNodeData>({
        san: node.san,
        ...(node.opening ? { startingComments: [node.opening] } : {}),
        ...(comment ? { comments: [comment] } : {}),
        ...(node.glyphs.length ? { nags: [...node.glyphs] } : {}),
      });
      parent.children.push(child);
      write(child, node.children);
    }
  };
  write(root, tree.children);
  const comment = commentOf(tree.note, '');
  const game: PgnGame<PgnNodeData> = { headers, moves: root, ...(comment ? { comments: [comment] } : {}) };
  return makePgn(game);
}

const commentOf = ({ comment, shapes }: Note, commands: string): string =>
  [commands, makeComment({ text: comment.replace(/[{}]/g, ''), shapes: [...shapes] })]
    .filter(Boolean)
    .join(' ');

/** The tags that every PGN game has. */
const SEVEN: [string, string][] = [
  ['Event', '?'],
  ['Site', '?'],
  ['Date', '????.??.??'],
  ['Round', '?'],
  ['White', '?'],
  ['Black', '?'],
  ['Result', '*'],
];
