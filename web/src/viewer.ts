// A game from the archive, opened at the ply of the hit.

import type { Color, Key } from '@lichess-org/chessground/types';

import { Asker, type GameMoves } from './api';
import { Picture } from './board';
import { fill, h, tool } from './dom';
import { faultState } from './notice';
import { occasion, players, result } from './words';

export interface Opened {
  id: number;
  ply: number;
}

export class Viewer {
  readonly element: HTMLDialogElement;
  readonly #title = h('h2', { id: 'viewer-title' }, 'Game');
  readonly #occasion = h('p', { class: 'occasion' });
  readonly #moves = h('ol', { class: 'moves', 'aria-label': 'Moves', tabindex: 0 });
  readonly #picture = new Picture('8/8/8/8/8/8/8/8', 'white', 'The position in the game');
  readonly #asker = new Asker();
  #game: GameMoves | undefined;
  #ply = 0;
  #found = 0;
  #orientation: Color = 'white';

  constructor(
    readonly onMove: (opened: Opened) => void,
    readonly onClose: () => void,
    readonly onQuery: (game: GameMoves, ply: number) => void,
  ) {
    const go = (change: number) => () => this.step(change);
    const tools = h(
      'div',
      { class: 'tools' },
      tool('first', 'Go to start', '↑', go(-Infinity)),
      tool('back', 'Back', '←', go(-1)),
      tool('forward', 'Forward', '→', go(1)),
      tool('last', 'Go to end', '↓', go(Infinity)),
      tool('flip', 'Flip the board', 'f', () => this.flip()),
      h('button', { type: 'button', class: 'primary', onclick: () => this.query() }, 'Search from here'),
    );
    const close = tool('close', 'Close', 'Esc', () => this.element.close());
    const heading = h('header', {}, h('div', {}, this.#title, this.#occasion), close);
    const left = h('div', { class: 'viewer-board' }, this.#picture.element, tools);
    this.element = h(
      'dialog',
      { class: 'viewer', 'aria-labelledby': 'viewer-title' },
      heading,
      h('div', { class: 'viewer-body' }, left, this.#moves),
    );
    this.element.addEventListener('close', () => this.onClose());
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
    this.element.addEventListener('keydown', (event) => this.#key(event));
  }

  async open(opened: Opened, orientation: Color): Promise<void> {
    if (!this.element.open) {
      this.#orientation = orientation;
      this.#found = opened.ply;
      this.element.showModal();
    }
    this.#ply = opened.ply;
    if (this.#game?.game.id === opened.id) return this.#show();
    this.#game = undefined;
    try {
      const game = await this.#asker.ask('game/{id}', { id: opened.id });
      if (!game) return;
      this.#game = game;
      this.#write(game);
      this.#show();
    } catch (error) {
      fill(
        this.#moves,
        h(
          'li',
          {},
          faultState(error, () => void this.open(opened, orientation)),
        ),
      );
    }
  }

  close(): void {
    this.#asker.cancel();
    if (this.element.open) this.element.close();
  }

  step(change: number): void {
    const last = this.#game?.moves.length ?? 0;
    this.#go(Math.max(0, Math.min(last, this.#ply + change)));
  }

  flip(): void {
    this.#orientation = this.#orientation === 'white' ? 'black' : 'white';
    this.#show();
  }

  query(): void {
    if (this.#game) this.onQuery(this.#game, this.#ply);
  }

  #key(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -Infinity,
      ArrowDown: Infinity,
    };
    const change = steps[event.key];
    if (change !== undefined) this.step(change);
    else if (event.key === 'f') this.flip();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(ply: number): void {
    this.#ply = ply;
    if (this.#game) this.onMove({ id: this.#game.game.id, ply });
    this.#show();
  }

  /** Writes the score sheet. */
  #write(game: GameMoves): void {
    this.#title.textContent = `${players(game.game)}  ${result(game.game)}`;
    this.#occasion.textContent = occasion(game.game);
    const first = game.fen.split(' ');
    const offset = (Number(first[5] ?? 1) - 1) * 2 + (first[1] === 'b' ? 1 : 0);
    const items = game.moves.map((move, index) => {
      const half = index + offset;
      const number = half % 2 === 0 ? `${half / 2 + 1}.` : index === 0 ? `${(half - 1) / 2 + 1}…` : '';
      const go = () => this.#go(index + 1);
      return h(
        'li',
        {},
        number && h('span', { class: 'number' }, number),
        h('button', { type: 'button', tabindex: -1, onclick: go }, move.san),
      );
    });
    this.#moves.replaceChildren(...items);
  }

  #show(): void {
    const game = this.#game;
    if (!game) return;
    // A link may name a ply that the game does not have.
    this.#ply = Math.min(this.#ply, game.moves.length);
    const move = game.moves[this.#ply - 1];
    const last =
      move && move.uci !== '0000' ? [move.uci.slice(0, 2) as Key, move.uci.slice(2, 4) as Key] : undefined;
    this.#picture.show(move?.fen ?? game.fen, this.#orientation, last);
    this.#picture.redraw();
    [...this.#moves.children].forEach((item, index) => {
      const button = item.querySelector('button');
      const here = index + 1 === this.#ply;
      item.classList.toggle('found', index + 1 === this.#found);
      if (here) {
        button?.setAttribute('aria-current', 'step');
        item.scrollIntoView({ block: 'nearest' });
      } else button?.removeAttribute('aria-current');
    });
  }
}
