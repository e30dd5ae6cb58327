// The board to play on, and the colors of what is drawn on boards.

import { Chessground } from '@lichess-org/chessground';
import type { Api } from '@lichess-org/chessground/api';
import type { DrawBrushes, DrawShape } from '@lichess-org/chessground/draw';
import type { Color, Key } from '@lichess-org/chessground/types';
import { chessgroundDests } from 'chessops/compat';
import type { Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { parseSquare } from 'chessops/util';

import { h, piece } from './dom';

const brush = (key: string, color: string, opacity = 0.85, lineWidth = 9) => ({
  key,
  color,
  opacity,
  lineWidth,
});

/** The colors of arrows and rings: one for each family of terms and each pair of moves. */
export const BRUSHES: DrawBrushes = {
  green: brush('green', '#3a8f5c'),
  red: brush('red', '#c0483a'),
  blue: brush('blue', '#3f74b5'),
  yellow: brush('yellow', '#d19a1f'),
  place: brush('place', '#3a8f5c', 0.9),
  reach: brush('reach', '#5f8f3a'),
  attack: brush('attack', '#c0483a'),
  defence: brush('defence', '#3f74b5'),
  ray: brush('ray', '#8a55b5'),
  pair0: brush('pair0', '#3f74b5'),
  pair1: brush('pair1', '#c0483a'),
  pair2: brush('pair2', '#3a8f5c'),
  pair3: brush('pair3', '#8a55b5'),
  pair4: brush('pair4', '#d19a1f'),
};

export const PAIRS = 5;

/** An arrow for a move. */
export const arrow = (uci: string, color: string): DrawShape => ({
  orig: uci.slice(0, 2) as Key,
  dest: uci.slice(2, 4) as Key,
  brush: color,
});

export type Tints = ReadonlyMap<string, string>;

/** Marks the side to move with a disc beside its end of the board. */
export function showTurn(mark: HTMLElement, fen: string, orientation: Color): void {
  const turn = fen.split(' ')[1] === 'b' ? 'black' : 'white';
  mark.className = `turn ${turn} ${turn === orientation ? 'near' : 'far'}`;
  mark.title = `${turn === 'white' ? 'White' : 'Black'} to move`;
}

/** The board to play on. */
export class PlayBoard {
  readonly element: HTMLElement;
  readonly api: Api;
  readonly #chooser: HTMLElement;
  readonly #turn = h('span', { class: 'turn' });
  /** Shows the last position again, without the unfinished move. */
  #reset = () => {};

  constructor(
    readonly onMove: (uci: string) => void,
    /** The reader drew something. */
    onDraw: (shapes: DrawShape[]) => void,
  ) {
    const inner = h('div', { class: 'cg-wrap' });
    this.#chooser = h('div', {
      class: 'promotion',
      role: 'dialog',
      'aria-label': 'Promote to',
      hidden: true,
    });
    this.element = h('div', { class: 'board' }, inner, this.#turn, this.#chooser);
    this.#listenForCancel();
    this.api = Chessground(inner, {
      coordinates: true,
      animation: { enabled: !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 180 },
      premovable: { enabled: false },
      draggable: { showGhost: true },
      drawable: { brushes: BRUSHES, onChange: onDraw, defaultSnapToValidMove: false },
    });
  }

  show(position: Chess, orientation: Color, lastMove: string | undefined, drawn: DrawShape[] = []): void {
    this.#chooser.hidden = true;
    this.#reset = () => this.show(position, orientation, lastMove, drawn);
    const color = position.turn;
    const fen = makeFen(position.toSetup());
    showTurn(this.#turn, fen, orientation);
    this.api.set({
      fen,
      orientation,
      turnColor: color,
      check: position.isCheck(),
      lastMove: lastMove ? [lastMove.slice(0, 2) as Key, lastMove.slice(2, 4) as Key] : [],
      movable: {
        free: false,
        color,
        dests: chessgroundDests(position) as Map<Key, Key[]>,
        events: { after: (from, to) => this.#moved(position, from, to) },
      },
    });
    this.api.setShapes(drawn);
  }

  /** Escape or a click beside the pieces cancels a promotion. */
  #listenForCancel(): void {
    const chooser = this.#chooser;
    // The press that made the move may end on the chooser, which opened in between.
    let pressed = false;
    addEventListener('pointerdown', (event) => (pressed = event.target === chooser), true);
    chooser.addEventListener('click', (event) => {
      if (pressed && event.target === chooser) this.cancelPromotion();
    });
    addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.cancelPromotion();
    });
  }

  /** Takes back an unfinished promotion, if there is one. */
  cancelPromotion(): void {
    if (!this.#chooser.hidden) this.#reset();
  }

  #moved(position: Chess, from: Key, to: Key): void {
    const square = parseSquare(from);
    const rank = to[1];
    const promotes =
      square !== undefined && position.board.pawn.has(square) && (rank === '8' || rank === '1');
    if (promotes) this.#choose(position.turn, from, to);
    else this.onMove(this.#king(position, from, to));
  }

  /** Castling as the king's move, however the reader made it on the board. */
  #king(position: Chess, from: Key, to: Key): string {
    const [origin, target] = [parseSquare(from), parseSquare(to)];
    const castles =
      origin !== undefined &&
      target !== undefined &&
      position.board.king.has(origin) &&
      position.board[position.turn].has(target);
    return castles ? `${from}${to > from ? 'g' : 'c'}${from[1]}` : `${from}${to}`;
  }

  #choose(color: Color, from: Key, to: Key): void {
    const roles = { q: 'queen', n: 'knight', r: 'rook', b: 'bishop' } as const;
    const buttons = Object.entries(roles).map(([letter, role]) =>
      h(
        'button',
        { type: 'button', 'aria-label': role, onclick: () => this.onMove(`${from}${to}${letter}`) },
        piece(role, color),
      ),
    );
    this.#chooser.replaceChildren(...buttons);
    this.#chooser.hidden = false;
    buttons[0]?.focus();
  }

  draw(shapes: DrawShape[]): void {
    this.api.state.dom.bounds.clear();
    this.api.setAutoShapes(shapes);
  }

  tint(tints: Tints): void {
    this.api.set({ highlight: { custom: new Map(tints) as Map<Key, string> } });
  }
}
