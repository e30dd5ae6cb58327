// The left side of the page: the board, its controls, and the field for moves,
// positions and games.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color } from '@lichess-org/chessground/types';

import { PlayBoard, type Tints } from './board';
import { fill, h, tool } from './dom';
import { START, extend, fenAt, positionAt, readMove, readText, steps } from './line';
import { notice } from './notice';
import type { Place } from './place';
import { Setup } from './setup';
import type { Store } from './store';

export class Desk {
  readonly element: HTMLElement;
  readonly board: PlayBoard;
  readonly #setup: Setup;
  readonly #moves = h('ol', { class: 'moves line', 'aria-label': 'Moves' });
  readonly #input: HTMLInputElement;
  readonly #fen = h('code', { class: 'fen' });

  constructor(readonly store: Store) {
    this.board = new PlayBoard((uci) => this.play(uci));
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
      h('form', { class: 'field', onsubmit: submit }, this.#input),
    );
    this.element = h(
      'section',
      { class: 'desk', 'aria-label': 'Position' },
      this.board.element,
      tools,
      this.#setup.element,
      this.#moves,
      this.#fen,
    );
    this.#listenForDrops();
  }

  get orientation(): Color {
    return this.store.place.flipped ? 'black' : 'white';
  }

  show(place: Place): void {
    if (this.#setup.isOpen) this.#setup.end();
    const position = positionAt(place.line, place.at);
    this.board.show(position, place.flipped ? 'black' : 'white', place.line.moves[place.at - 1]);
    this.#fen.textContent = fenAt(place.line, place.at);
    this.#writeMoves(place);
  }

  mark(shapes: DrawShape[], tints: Tints): void {
    if (this.#setup.isOpen) return;
    this.board.draw(shapes);
    this.board.tint(tints);
  }

  play(uci: string): void {
    const { line, at, view } = this.store.place;
    // In a game against the engine a move drops the rest of the line, even if it repeats the next move.
    const kept = view === 'play' ? { fen: line.fen, moves: line.moves.slice(0, at) } : line;
    this.store.go({ line: extend(kept, at, uci), at: at + 1 });
  }

  /** Plays several moves at once and shows the first `shown` of them. */
  playLine(moves: string[], shown: number): void {
    const { line, at } = this.store.place;
    this.store.go({ line: { fen: line.fen, moves: [...line.moves.slice(0, at), ...moves] }, at: at + shown });
  }

  walk(change: number): void {
    const { line, at } = this.store.place;
    const to = Math.max(0, Math.min(line.moves.length, at + change));
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
    this.store.go({ line: read.line, at: read.at });
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
      const file = event.dataTransfer?.files[0];
      const text = event.dataTransfer?.getData('text/plain');
      if (file) void file.text().then((it) => this.read(it));
      else if (text) this.read(text);
    });
  }

  /** The line in SAN, each move a button. */
  #writeMoves(place: Place): void {
    const fields = place.line.fen.split(' ');
    const offset = (Number(fields[5] ?? 1) - 1) * 2 + (fields[1] === 'b' ? 1 : 0);
    const items = steps(place.line).map((step, index) => {
      const half = index + offset;
      const number = half % 2 === 0 ? `${half / 2 + 1}.` : index === 0 ? `${(half - 1) / 2 + 1}…` : '';
      const current = index + 1 === place.at ? 'step' : undefined;
      const go = () => this.store.adjust({ at: index + 1 });
      return h(
        'li',
        {},
        number && h('span', { class: 'number' }, number),
        h('button', { type: 'button', 'aria-current': current, onclick: go }, step.san),
      );
    });
    fill(this.#moves, ...items);
    this.#moves.hidden = items.length === 0;
    this.#moves.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }
}
