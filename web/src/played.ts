// The moves played in similar positions and in this very position.

import { quotation } from './annotation';
import { Asker, type Explored, type PlayedMove, type SearchAnswer } from './api';
import { fill, grouped, h, percent } from './dom';
import { openedAt, type Opened, type Settings } from './place';
import { players } from './words';

interface Row extends Omit<PlayedMove, 'weight' | 'average_elo'> {
  hint: string;
}

const ROWS = 6;

export class PlayedTables {
  readonly element: HTMLElement;
  readonly #similar = h('div', { class: 'played' });
  readonly #exact = h('div', { class: 'played' });
  readonly #opening = h('p', { class: 'opening' });
  readonly #suggested = h('p', { class: 'suggested', hidden: true });
  readonly #said = h('div', { class: 'annotators', hidden: true });
  readonly #asker = new Asker();

  constructor(
    readonly play: (uci: string) => void,
    readonly open: (game: Opened) => void,
  ) {
    this.element = h(
      'section',
      { class: 'played-tables', 'aria-label': 'Moves played' },
      h('div', {}, h('h2', {}, 'Played in similar positions'), this.#similar),
      h('div', {}, h('h2', {}, 'Played in this position'), this.#exact, this.#suggested, this.#opening),
      this.#said,
    );
  }

  showSimilar(answer: SearchAnswer | undefined): void {
    // The list of hits shows why there is no answer.
    if (!answer) return fill(this.#similar);
    const rows = answer.moves.map((it) => ({
      ...it,
      hint: it.average_elo ? `average rating ${it.average_elo}` : '',
    }));
    this.#fill(this.#similar, rows, 'No similar positions found.');
  }

  async ask(fen: string, settings: Settings): Promise<void> {
    const { player, elo, date, eco, event, result } = settings.filters;
    const variations = settings.variations || undefined;
    const values = { fen, show_games: 0, variations, player, elo, date, eco, event, result };
    const explored = await this.#asker.ask('explore', values).catch(() => null);
    if (explored === undefined) return;
    const rows = (explored?.moves ?? []).map((it) => ({
      ...it,
      legal: true,
      games: it.white + it.draws + it.black + it.unknown,
      hint: it.opening ? it.opening.name : '',
    }));
    this.#fill(
      this.#exact,
      rows,
      explored ? 'No game in the collection has this position.' : 'Not available.',
    );
    const opening = explored?.opening;
    this.#opening.textContent = opening ? `${opening.eco} ${opening.name}` : '';
    this.#suggest(explored?.variations ?? []);
    this.#quote(explored?.comments ?? []);
  }

  /** The moves that annotators give in variations. */
  #suggest(moves: Explored['variations']): void {
    this.#suggested.hidden = moves.length === 0;
    const buttons = moves.slice(0, ROWS).map(({ uci, san, variations }) => {
      const title = variations === 1 ? 'in one variation' : `in ${grouped(variations)} variations`;
      const play = () => this.play(uci);
      return h('button', { type: 'button', class: 'move', title, onclick: play }, `${san} (${variations})`);
    });
    const more = moves.length > ROWS && ` and ${moves.length - ROWS} more`;
    fill(this.#suggested, 'In variations: ', ...buttons, more);
  }

  /** What annotators say of the position, each with a button that opens the game there. */
  #quote(comments: Explored['comments']): void {
    this.#said.hidden = comments.length === 0;
    const items = comments.map((it) => {
      const source = h(
        'button',
        { type: 'button', class: 'source', onclick: () => this.open(openedAt(it)) },
        players(it.game),
      );
      const place = it.variation !== null && ', in a variation';
      return h(
        'li',
        {},
        quotation([it.text], 'What the annotator said here'),
        h('p', { class: 'faint' }, source, place),
      );
    });
    fill(this.#said, h('h2', {}, 'Annotators on this position'), h('ul', {}, ...items));
  }

  #fill(into: HTMLElement, rows: Row[], empty: string): void {
    if (rows.length === 0) return fill(into, h('p', { class: 'faint' }, empty));
    const head = h(
      'tr',
      {},
      h('th', { scope: 'col' }, 'Move'),
      h('th', { scope: 'col' }, 'Games'),
      h('th', { scope: 'col' }, 'White · draw · Black'),
    );
    const body = rows.slice(0, ROWS).map((it) => this.#row(it));
    const more = rows.length > ROWS && h('p', { class: 'faint' }, `and ${rows.length - ROWS} more`);
    fill(into, h('table', {}, h('thead', {}, head), h('tbody', {}, ...body)), more);
  }

  #row(row: Row): HTMLElement {
    const label = row.legal
      ? h(
          'button',
          { type: 'button', class: 'move', title: row.hint, onclick: () => this.play(row.uci) },
          row.san,
        )
      : h('span', { class: 'move impossible', title: 'not legal here' }, row.san);
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      h('td', {}, grouped(row.games)),
      h('td', {}, bar(row)),
    );
  }
}

/** Three shares as one bar, labeled for screen readers. */
export function bar({ white, draws, black }: { white: number; draws: number; black: number }): HTMLElement {
  const known = white + draws + black;
  if (known === 0) return h('span', { class: 'faint' }, 'no result');
  const parts = [
    ['white', white],
    ['draws', draws],
    ['black', black],
  ] as const;
  const label = `White ${percent(white / known)}, draw ${percent(draws / known)}, Black ${percent(black / known)}`;
  const spans = parts.map(([name, count]) => {
    const share = count / known;
    const span = h('span', { class: name }, share >= 0.2 ? `${Math.round(100 * share)}` : '');
    span.style.flexGrow = String(count);
    span.hidden = count === 0;
    return span;
  });
  return h('div', { class: 'bar', role: 'img', 'aria-label': label, title: label }, ...spans);
}
