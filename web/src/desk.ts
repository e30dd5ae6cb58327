// The left side of the page: the board, its controls, and the field for moves,
// positions and games.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color, Key } from '@lichess-org/chessground/types';
import type { CommentShape, CommentShapeColor } from 'chessops/pgn';
import { makeSquare, parseSquare } from 'chessops/util';

import { PlayBoard, type Tints } from './board';
import { h, tool } from './dom';
import { START, fenAt, positionAt, readMove } from './line';
import type { Look } from './look';
import { menu } from './menu';
import { notice } from './notice';
import type { Place } from './place';
import { Setup } from './setup';
import { commands } from './share';
import { Sheet } from './sheet';
import type { Store } from './store';
import { childrenAt, clocksAt, lineThrough, noteAt, readText, withLine, withNote } from './tree';

export class Desk {
  readonly element: HTMLElement;
  readonly board: PlayBoard;
  readonly #setup: Setup;
  readonly sheet: Sheet;
  readonly #input: HTMLInputElement;
  /** The position as text, which stands below the engine. */
  readonly fenLine = h('code', { class: 'fen' });
  readonly #clocks = h('p', { class: 'clocks faint', hidden: true });
  #suggested: DrawShape[] = [];

  constructor(
    readonly store: Store,
    readonly look: Look,
    /** Takes files that are more than a game for the board. */
    readonly onFiles: (files: readonly File[]) => void,
  ) {
    this.board = new PlayBoard(
      (uci) => this.play(uci),
      (shapes) => this.#drew(shapes),
    );
    this.sheet = new Sheet(store);
    this.#setup = new Setup(
      (fen) => this.#endSetup(() => store.go({ line: { fen, moves: [] }, at: 0 })),
      () => this.#endSetup(() => this.show(store.place)),
    );
    this.#input = h('input', {
      name: 'position',
      placeholder: 'Move, FEN or PGN',
      'aria-label': 'Move, FEN or PGN',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      this.read(this.#input.value);
    };
    const tools = h(
      'div',
      { class: 'tools', role: 'toolbar', 'aria-label': 'Board controls' },
      tool('first', 'Go to start', '↑', () => this.walk(-Infinity)),
      tool('back', 'Back', '←', () => this.walk(-1)),
      tool('forward', 'Forward', '→', () => this.walk(1)),
      tool('last', 'Go to end', '↓', () => this.walk(Infinity)),
      tool('flip', 'Flip the board', 'f', () => this.flip()),
      tool('edit', 'Set up a position', 's', () => this.setup()),
      tool('start', 'Starting position', 'n', () => this.startOver()),
      menu(
        'share',
        'Copy and save',
        commands(() => ({ fen: this.fen, orientation: this.orientation, tree: store.place.tree })),
      ),
      h('form', { class: 'field', onsubmit: submit }, this.#input),
    );
    this.element = h(
      'section',
      { class: 'desk', 'aria-label': 'Position' },
      this.board.element,
      this.#clocks,
      tools,
      this.#setup.element,
    );
    this.board.element.append(look.handle(this.board.element));
    this.#listenForDrops();
  }

  get fen(): string {
    return fenAt(this.store.place.line, this.store.place.at);
  }

  get orientation(): Color {
    return this.store.place.flipped ? 'black' : 'white';
  }

  show(place: Place): void {
    if (this.#setup.isOpen) this.#setup.end();
    const path = place.line.moves.slice(0, place.at);
    const drawn = noteAt(place.tree, path).shapes.map(toDrawing);
    const position = positionAt(place.line, place.at);
    this.board.show(position, place.flipped ? 'black' : 'white', path.at(-1), drawn);
    this.fenLine.textContent = fenAt(place.line, place.at);
    this.sheet.show(place);
    this.#showClocks(clocksAt(place.tree, path), position.turn);
  }

  #showClocks(clocks: [string, string] | undefined, turn: Color): void {
    this.#clocks.hidden = !clocks;
    const [moved, other] = clocks ?? ['', ''];
    const [white, black] = turn === 'black' ? [moved, other] : [other, moved];
    this.#clocks.textContent = `White ${white} · Black ${black}`;
  }

  /** Keeps the reader's arrows and circles with the position. */
  #drew(shapes: DrawShape[]): void {
    if (this.#setup.isOpen) return;
    const { tree, line, at } = this.store.place;
    const drawn = shapes.map(toShape).filter((it) => it !== undefined);
    this.store.adjust({ tree: withNote(tree, line.moves.slice(0, at), { shapes: drawn }) });
  }

  /** Draws the engine's moves, which give way to what the reader points at. */
  suggest(shapes: DrawShape[]): void {
    this.#suggested = shapes;
    if (!this.#setup.isOpen) this.board.draw(shapes);
  }

  mark(shapes: DrawShape[], tints: Tints): void {
    if (this.#setup.isOpen) return;
    this.board.draw(shapes.length || tints.size ? shapes : this.#suggested);
    this.board.tint(tints);
  }

  /** Plays a move; where the game has another one, it begins a variation. */
  play(uci: string): void {
    const { tree, line, at, view } = this.store.place;
    const path = [...line.moves.slice(0, at), uci];
    const grown = childrenAt(tree, path) ? tree : withLine(tree, path);
    // In a game against the engine the line ends at the move, even if the game goes on.
    const shown = view === 'play' ? { fen: line.fen, moves: path } : lineThrough(grown, path);
    this.look.knock();
    this.store.go({ tree: grown, line: shown, at: at + 1 });
  }

  /** Plays several moves at once and shows the first `shown` of them. */
  playLine(moves: string[], shown: number): void {
    const { tree, line, at } = this.store.place;
    const path = [...line.moves.slice(0, at), ...moves];
    this.store.go({ tree: withLine(tree, path), line: { fen: line.fen, moves: path }, at: at + shown });
  }

  /** Goes to the next or previous variation at the last move. */
  turn(change: number): void {
    const { tree, line, at } = this.store.place;
    const before = line.moves.slice(0, at - 1);
    const siblings = at > 0 ? (childrenAt(tree, before) ?? []) : [];
    const here = siblings.findIndex((it) => it.uci === line.moves[at - 1]);
    const next = siblings[(here + change + siblings.length) % siblings.length];
    if (next) this.store.adjust({ line: lineThrough(tree, [...before, next.uci]), at });
  }

  walk(change: number): void {
    const { line, at } = this.store.place;
    const to = Math.max(0, Math.min(line.moves.length, at + change));
    if (change === 1 && to !== at) this.look.knock();
    if (to !== at) this.store.adjust({ at: to });
  }

  flip(): void {
    this.store.adjust({ flipped: !this.store.place.flipped });
  }

  startOver(): void {
    this.store.go({ line: START, at: 0 });
  }

  setup(): void {
    const { line, at } = this.store.place;
    if (this.#setup.isOpen) return this.#endSetup(() => this.show(this.store.place));
    this.board.cancelPromotion();
    this.board.draw([]);
    this.board.tint(new Map());
    this.#setup.begin(this.board.api, fenAt(line, at));
  }

  #endSetup(then: () => void): void {
    this.#setup.end();
    then();
  }

  focusInput(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Reads a move, a FEN or a game. */
  read(text: string): void {
    const { line, at } = this.store.place;
    const move = readMove(positionAt(line, at), text);
    if (move) {
      this.#input.value = '';
      return this.play(move);
    }
    const read = readText(text);
    if (typeof read === 'string') {
      this.#input.setAttribute('aria-invalid', 'true');
      return notice(read, 'fault');
    }
    this.#input.removeAttribute('aria-invalid');
    this.#input.value = '';
    this.store.go({ tree: read.tree, line: read.line, at: read.at });
    if (read.note) notice(read.note);
  }

  #listenForDrops(): void {
    addEventListener('paste', (event) => {
      const { target } = event;
      const text = event.clipboardData?.getData('text/plain') ?? '';
      // A field of one line would lose the line breaks, which separate games.
      const whole = target === this.#input && text.trim().includes('\n');
      if (!whole && target instanceof HTMLElement && target.matches('input, textarea')) return;
      if (whole) event.preventDefault();
      if (text) this.read(text);
    });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      const text = event.dataTransfer?.getData('text/plain');
      if (files.length) this.onFiles(files);
      else if (text) this.read(text);
    });
  }
}

const toDrawing = ({ color, from, to }: CommentShape): DrawShape => ({
  orig: makeSquare(from) as Key,
  ...(from === to ? {} : { dest: makeSquare(to) as Key }),
  brush: color,
});

function toShape({ orig, dest, brush }: DrawShape): CommentShape | undefined {
  const from = parseSquare(orig);
  const to = dest ? parseSquare(dest) : from;
  const color = (['green', 'red', 'yellow', 'blue'] as CommentShapeColor[]).find((it) => it === brush);
  return from === undefined || to === undefined || !color ? undefined : { color, from, to };
}
