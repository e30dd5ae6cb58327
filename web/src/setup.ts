// Setting up a position: pieces, side to move and castling rights.

import type { Api } from '@lichess-org/chessground/api';
import { dragNewPiece } from '@lichess-org/chessground/drag';
import type { Key, Piece } from '@lichess-org/chessground/types';

import { h, icon, piece as drawPiece } from './dom';
import { readFen } from './line';

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const;
const EMPTY = '8/8/8/8/8/8/8/8';
const FULL = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR';

export class Setup {
  readonly element: HTMLElement;
  readonly #turn: HTMLSelectElement;
  readonly #castling = new Map<string, HTMLInputElement>();
  readonly #fault = h('p', { class: 'fault', role: 'status' });
  readonly #place: HTMLInputElement;
  #chosen: Piece | 'remove' | undefined;
  #api: Api | undefined;

  constructor(
    readonly onDone: (fen: string) => void,
    readonly onCancel: () => void,
  ) {
    this.#turn = h(
      'select',
      { name: 'turn', onchange: () => this.#check() },
      h('option', { value: 'w' }, 'White'),
      h('option', { value: 'b' }, 'Black'),
    );
    const rights = [
      ['K', 'White O-O'],
      ['Q', 'White O-O-O'],
      ['k', 'Black O-O'],
      ['q', 'Black O-O-O'],
    ].map(([letter = '', words = '']) => {
      const box = h('input', { type: 'checkbox', name: `castle-${letter}`, onchange: () => this.#check() });
      this.#castling.set(letter, box);
      return h('label', {}, box, words);
    });
    this.#place = h('input', {
      name: 'place',
      placeholder: 'Qd4, or d4 to clear',
      'aria-label': 'Piece and square, such as Qd4',
      autocomplete: 'off',
    });
    const typed = (event: SubmitEvent) => {
      event.preventDefault();
      this.#type(this.#place.value);
    };
    const remove = h(
      'button',
      {
        type: 'button',
        class: 'palette',
        'aria-label': 'Remove pieces',
        'aria-pressed': 'false',
        'data-piece': 'remove',
        onclick: () => this.#choose('remove'),
      },
      icon('trash'),
    );
    this.element = h(
      'section',
      { class: 'setup', 'aria-label': 'Set up a position', hidden: true },
      h('div', { class: 'palettes' }, ...this.#palette('white'), ...this.#palette('black'), remove),
      h(
        'form',
        { class: 'setup-row', onsubmit: typed },
        h('label', {}, 'Side to move ', this.#turn),
        this.#place,
        h('button', { class: 'quiet' }, 'Place'),
      ),
      this.#fault,
      h(
        'div',
        { class: 'setup-row' },
        h('button', { type: 'button', class: 'quiet', onclick: () => this.#fill(EMPTY) }, 'Clear'),
        h('button', { type: 'button', class: 'quiet', onclick: () => this.#fill(FULL) }, 'Starting position'),
        h('button', { type: 'button', class: 'quiet', onclick: () => this.onCancel() }, 'Cancel'),
        h(
          'button',
          { type: 'button', class: 'primary', onclick: () => this.#done() },
          'Search this position',
        ),
      ),
      h('div', { class: 'setup-row castling' }, ...rights),
    );
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  begin(api: Api, fen: string): void {
    this.#api = api;
    const [, turn = 'w', castling = '-'] = fen.split(' ');
    this.#turn.value = turn;
    for (const [letter, box] of this.#castling) box.checked = castling.includes(letter);
    this.element.hidden = false;
    api.set({
      movable: { free: true, color: 'both', dests: new Map(), events: { after: () => this.#check() } },
      draggable: { deleteOnDropOff: true },
      lastMove: [],
      check: false,
      events: {
        select: (key) => this.#put(key),
        change: () => this.#check(),
        dropNewPiece: () => this.#check(),
      },
    });
    this.#check();
  }

  end(): void {
    this.element.hidden = true;
    this.#choose(undefined);
    this.#api?.set({
      draggable: { deleteOnDropOff: false },
      events: { select: () => {}, change: () => {}, dropNewPiece: () => {} },
    });
  }

  #palette(color: 'white' | 'black'): HTMLElement[] {
    return ROLES.map((role) => {
      const piece: Piece = { role, color };
      const drag = (event: MouseEvent | TouchEvent) => {
        this.#choose(piece);
        if (this.#api) dragNewPiece(this.#api.state, piece, event as never, true);
      };
      return h(
        'button',
        {
          type: 'button',
          class: 'palette',
          'aria-label': `${color} ${role}`,
          'aria-pressed': 'false',
          'data-piece': `${color}-${role}`,
          onmousedown: drag,
          ontouchstart: drag,
          onclick: () => this.#choose(piece),
        },
        drawPiece(role, color),
      );
    });
  }

  #choose(chosen: Piece | 'remove' | undefined): void {
    this.#chosen = chosen;
    const name = chosen === 'remove' ? 'remove' : chosen ? `${chosen.color}-${chosen.role}` : '';
    for (const button of this.element.querySelectorAll<HTMLElement>('.palette')) {
      button.setAttribute('aria-pressed', String(button.dataset['piece'] === name));
    }
  }

  #put(key: Key): void {
    if (!this.#api || !this.#chosen) return;
    const piece = this.#chosen === 'remove' ? undefined : this.#chosen;
    this.#api.setPieces(new Map([[key, piece]]));
    this.#api.cancelMove();
    this.#check();
  }

  #type(text: string): void {
    const match = /^([KQRBNPkqrbnp]?)([a-h][1-8])$/.exec(text.trim());
    if (!match || !this.#api) {
      this.#fault.textContent = 'Type a piece and a square: Qd4 for a white queen, qd4 for a black one.';
      return;
    }
    const [, letter = '', square] = match;
    const role = ROLES.find((it) => (it === 'knight' ? 'n' : it[0]) === letter.toLowerCase());
    const color = letter === letter.toUpperCase() ? 'white' : 'black';
    this.#api.setPieces(new Map([[square as Key, role ? { role, color } : undefined]]));
    this.#place.value = '';
    this.#check();
  }

  #fill(board: string): void {
    this.#api?.set({ fen: board });
    this.#check();
  }

  fen(): string {
    const rights = [...this.#castling].filter(([, box]) => box.checked).map(([letter]) => letter);
    return `${this.#api?.getFen() ?? EMPTY} ${this.#turn.value} ${rights.join('') || '-'} - 0 1`;
  }

  #check(): boolean {
    const position = readFen(this.fen());
    this.#fault.textContent = typeof position === 'string' ? position : '';
    return typeof position !== 'string';
  }

  #done(): void {
    if (this.#check()) this.onDone(this.fen());
  }
}
