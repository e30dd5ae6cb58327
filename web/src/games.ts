// The games of the collection, or those with the position on the board, as a table.

import { Asker, address, type GamePage } from './api';
import { calm, fill, grouped, h, icon } from './dom';
import { emptyState, faultState } from './notice';
import { gameParameters, openedAt, type Opened, type Settings } from './place';
import { player, result, year } from './words';

const PAGE = 50;

type Order = 'number' | 'white' | 'black' | 'rating' | 'result' | 'date' | 'event';
const COLUMNS: [Order, string][] = [
  ['white', 'White'],
  ['black', 'Black'],
  ['rating', 'Ratings'],
  ['result', 'Result'],
  ['date', 'Year'],
  ['event', 'Event'],
];

type Listed = GamePage['games'][number];

export class GamesTable {
  readonly element = h('div', { class: 'games' });
  readonly #body = h('div', { class: 'games-body' });
  readonly #head: HTMLElement;
  readonly #where: HTMLSelectElement;
  readonly #player: HTMLInputElement;
  readonly #color: HTMLSelectElement;
  readonly #count = h('span', { role: 'status' });
  readonly #asker = new Asker();
  #order: Order = 'rating';
  #reversed = false;
  #after = 0;
  #fen = '';
  #settings: Settings | undefined;

  constructor(readonly open: (opened: Opened) => void) {
    const again = () => {
      this.#after = 0;
      void this.#load();
    };
    const choice = (name: string, label: string, options: [string, string][]) =>
      h(
        'select',
        { name, 'aria-label': label, onchange: again },
        ...options.map(([value, words]) => h('option', { value }, words)),
      );
    this.#where = choice('where', 'Which games', [
      ['here', 'with this position'],
      ['all', 'all games'],
    ]);
    this.#color = choice('color', 'Color of the player', [
      ['player', 'either color'],
      ['white', 'White'],
      ['black', 'Black'],
    ]);
    this.#player = h('input', {
      name: 'games-player',
      placeholder: 'Player',
      'aria-label': 'Player',
      autocomplete: 'off',
      oninput: calm(250, again),
    });
    const save = h('a', { class: 'quiet', download: 'games.pgn' }, icon('download'), 'PGN');
    save.addEventListener(
      'click',
      () => (save.href = address('games/pgn', { ...this.#values(), limit: 1000, after: 0 })),
    );
    save.href = '#';
    this.#head = h('div', { class: 'games-head' }, this.#where, this.#player, this.#color, this.#count, save);
    fill(this.element, this.#head, this.#body);
  }

  /** Lists all games of the collection. */
  showAll(): void {
    this.#where.value = 'all';
    this.#after = 0;
  }

  /** Lists the games with the position on the board. */
  showHere(): void {
    this.#where.value = 'here';
    this.#after = 0;
  }

  async ask(fen: string, settings: Settings): Promise<void> {
    if (fen !== this.#fen || settings !== this.#settings) this.#after = 0;
    this.#fen = fen;
    this.#settings = settings;
    await this.#load();
  }

  #values() {
    const name = this.#player.value.trim();
    return {
      ...(this.#settings ? gameParameters(this.#settings) : {}),
      ...(this.#where.value === 'here' ? { fen: this.#fen } : {}),
      ...(name ? { [this.#color.value]: name } : {}),
      order: this.#order,
      reversed: this.#reversed || undefined,
      after: this.#after,
      limit: PAGE,
    };
  }

  async #load(): Promise<void> {
    this.element.setAttribute('aria-busy', 'true');
    try {
      const page = await this.#asker.ask('games', this.#values());
      if (page) this.#show(page);
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#load()),
      );
    } finally {
      this.element.removeAttribute('aria-busy');
    }
  }

  #show({ total, games }: GamePage): void {
    this.#count.textContent = total === 1 ? '1 game' : `${grouped(total)} games`;
    if (total === 0) {
      const [title, words] =
        this.#where.value === 'here'
          ? [
              'No game has this position',
              'Choose “all games”, or wider filters. Similar has the nearest ones.',
            ]
          : ['No game passes the filters', 'Try another player, or wider filters in Similar under Refine.'];
      return fill(this.#body, emptyState(title, words));
    }
    const head = COLUMNS.map(([order, words]) => {
      const sorted = order === this.#order;
      const sort = () => {
        this.#reversed = sorted && !this.#reversed;
        this.#order = order;
        this.#after = 0;
        void this.#load();
      };
      const direction = sorted ? (this.#reversed ? 'ascending' : 'descending') : undefined;
      return h(
        'th',
        { scope: 'col', 'aria-sort': direction },
        h('button', { type: 'button', onclick: sort }, words),
      );
    });
    fill(
      this.#body,
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...head)),
        h('tbody', {}, ...games.map((it) => this.#row(it))),
      ),
      this.#pages(total),
    );
  }

  #row(listed: Listed): HTMLElement {
    const { game } = listed;
    const open = () => this.open(openedAt(listed));
    const ratings = [game.white_elo, game.black_elo].map((it) => it ?? '–').join(' / ');
    return h(
      'tr',
      { class: 'row', onclick: open },
      h(
        'th',
        { scope: 'row' },
        h('button', { type: 'button', class: 'open', title: 'Open the game' }, player(game.white, null)),
      ),
      h('td', {}, player(game.black, null)),
      h('td', { class: 'number' }, game.white_elo || game.black_elo ? ratings : ''),
      h('td', { class: 'number' }, result(game)),
      h('td', { class: 'number' }, year(game)),
      h('td', { class: 'event' }, game.event === '?' ? '' : game.event),
    );
  }

  #pages(total: number): HTMLElement | false {
    if (total <= PAGE) return false;
    const turn = (change: number) => () => {
      this.#after += change;
      void this.#load();
      this.element.scrollIntoView({ block: 'start' });
    };
    const step = (words: string, change: number, possible: boolean) =>
      h('button', { type: 'button', class: 'quiet', disabled: !possible, onclick: turn(change) }, words);
    const last = Math.min(total, this.#after + PAGE);
    return h(
      'p',
      { class: 'pages' },
      step('Previous', -PAGE, this.#after > 0),
      h('span', {}, `${grouped(this.#after + 1)}–${grouped(last)} of ${grouped(total)}`),
      step('Next', PAGE, last < total),
    );
  }
}
