// A game from the archive, opened at the ply of the hit.

import type { Color } from '@lichess-org/chessground/types';

import { glyphMark, glyphs, quotation } from './annotation';
import { Asker, type GameMoves, type Ply } from './api';
import { fill, h, tool } from './dom';
import { faultState } from './notice';
import { Picture } from './picture';
import type { Opened } from './place';
import { save } from './share';
import { variationOf, type Variation } from './variation';
import { occasion, players, result } from './words';

export class Viewer {
  readonly element: HTMLDialogElement;
  readonly #title = h('h2', { id: 'viewer-title' }, 'Game');
  readonly #occasion = h('p', { class: 'occasion' });
  readonly #moves = h('ol', { class: 'moves', 'aria-label': 'Moves', tabindex: 0 });
  readonly #picture = new Picture('8/8/8/8/8/8/8/8', 'white', 'The position in the game');
  readonly #aside = h('div', { class: 'aside', hidden: true });
  readonly #asker = new Asker();
  #game: GameMoves | undefined;
  /** The variation shown instead of the game, and its number. */
  #variation: Variation | undefined;
  #number: number | undefined;
  #items: HTMLElement[] = [];
  #ply = 0;
  #found: Opened = { id: 0, ply: 0 };
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
      tool('download', 'Save the game as PGN', '', () => this.#save()),
      h('button', { type: 'button', class: 'primary', onclick: () => this.query() }, 'Search from here'),
    );
    const close = tool('close', 'Close', 'Esc', () => this.element.close());
    const heading = h('header', {}, h('div', {}, this.#title, this.#occasion), close);
    const left = h('div', { class: 'viewer-board' }, this.#picture.element, tools);
    const right = h('div', { class: 'viewer-moves' }, this.#aside, this.#moves);
    this.element = h(
      'dialog',
      { class: 'viewer', 'aria-labelledby': 'viewer-title' },
      heading,
      h('div', { class: 'viewer-body' }, left, right),
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
      this.#found = opened;
      this.element.showModal();
    }
    this.#ply = opened.ply;
    if (this.#game?.game.id === opened.id) {
      if (this.#number !== opened.variation) this.#write(this.#game, opened.variation);
      return this.#show();
    }
    this.#game = undefined;
    try {
      const game = await this.#asker.ask('game/{id}', { id: opened.id });
      if (!game) return;
      this.#game = game;
      this.#write(game, opened.variation);
      this.#show();
    } catch (error) {
      this.#aside.hidden = true;
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

  /** The moves shown: those of the game or of a variation. */
  get #line(): readonly Ply[] {
    return this.#variation?.moves ?? this.#game?.moves ?? [];
  }

  step(change: number): void {
    const last = this.#line.length;
    this.#go(Math.max(0, Math.min(last, this.#ply + change)));
  }

  flip(): void {
    this.#orientation = this.#orientation === 'white' ? 'black' : 'white';
    this.#show();
  }

  query(): void {
    if (this.#game) this.onQuery({ ...this.#game, moves: [...this.#line] }, this.#ply);
  }

  #save(): void {
    const game = this.#game;
    if (game) save(`game-${game.game.id}.pgn`, game.pgn, 'application/x-chess-pgn');
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
    const variation = this.#number ? { variation: this.#number } : {};
    if (this.#game) this.onMove({ id: this.#game.game.id, ply, ...variation });
    this.#show();
  }

  /** Writes the score sheet of the game, or of a variation if the game has it. */
  #write(game: GameMoves, number: number | undefined): void {
    this.#variation = number ? variationOf(game, number) : undefined;
    this.#number = this.#variation && number;
    this.#title.textContent = `${players(game.game)}  ${result(game.game)}`;
    this.#occasion.textContent = occasion(game.game);
    this.#writeAside(game);
    const line = this.#line;
    const first = game.fen.split(' ');
    const offset = (Number(first[5] ?? 1) - 1) * 2 + (first[1] === 'b' ? 1 : 0);
    this.#items = line.map((move, index) => {
      // A move with a comment stands on a line of its own, and so does what follows.
      const isFirst = index === 0 || isNoted(move) || isNoted(line[index - 1]);
      return this.#item(move, index, moveLabel(index + offset, isFirst));
    });
    const opening = quotation(game.comments, 'What the annotator said before the first move');
    fill(this.#moves, opening && h('li', { class: 'noted' }, opening), ...this.#items);
  }

  /** Says that a variation is shown, and leads back to the game. */
  #writeAside({ game, moves }: GameMoves): void {
    const line = this.#variation;
    this.#aside.hidden = !line;
    if (!line) return;
    const left = line.moves.findIndex((it, index) => it.uci !== moves[index]?.uci);
    const back = () => this.onMove({ id: game.id, ply: left < 0 ? line.from : left });
    fill(
      this.#aside,
      h('span', { class: 'badge' }, 'in a variation'),
      h('button', { type: 'button', class: 'quiet', onclick: back }, 'Show the game'),
      quotation(line.comments, 'What the annotator said before the variation'),
    );
  }

  #item(move: Ply, index: number, number: string): HTMLElement {
    const go = () => this.#go(index + 1);
    const signs = glyphs(move.glyphs).map(glyphMark);
    return h(
      'li',
      { class: isNoted(move) ? 'noted' : undefined },
      number && h('span', { class: 'number' }, number),
      h('button', { type: 'button', tabindex: -1, onclick: go }, move.san, ...signs),
      quotation(move.comments, `What the annotator said after ${move.san}`),
    );
  }

  #show(): void {
    const game = this.#game;
    if (!game) return;
    // A link may name a ply that the game does not have.
    this.#ply = Math.min(this.#ply, this.#line.length);
    const move = this.#line[this.#ply - 1];
    const last = move && move.uci !== '0000' ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : [];
    this.#picture.show(move?.fen ?? game.fen, this.#orientation, last);
    const found = this.#found.variation === this.#number ? this.#found.ply : 0;
    this.#items.forEach((item, index) => {
      const button = item.querySelector('button');
      const here = index + 1 === this.#ply;
      item.classList.toggle('found', index + 1 === found);
      if (here) {
        button?.setAttribute('aria-current', 'step');
        item.scrollIntoView({ block: 'nearest' });
      } else button?.removeAttribute('aria-current');
    });
  }
}

const isNoted = (move: Ply | undefined): boolean => Boolean(move?.comments.length);

/** The number before a move, as on a score sheet: Black's moves have one only at the start of a line. */
function moveLabel(half: number, isFirst: boolean): string {
  if (half % 2 === 0) return `${half / 2 + 1}.`;
  return isFirst ? `${(half + 1) / 2}…` : '';
}
