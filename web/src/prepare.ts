// Preparation for an opponent: moves by color, endings, games to look at, lapses in the opening, and
// positions like those of a repertoire.

import { Asker, get, type Prepared } from './api';
import { fill, h, percent } from './dom';
import { keep, kept } from './kept';
import { emptyState, faultState } from './notice';
import type { Opponent } from './place';
import { slip } from './reviewed';
import { players, progress, result, year } from './words';

type Results = Prepared['white']['total'];
type Side = Prepared['white'];
type OpponentGame = Prepared['games'][number];

/** How much of a game's opening is reviewed, and how long each position is searched. */
const SETTINGS = { plies: 40, nodes: 10_000, least: 'inaccuracy', similar: 0, practice: 0 } as const;

export class PrepareView {
  readonly element = h('div', { class: 'prepare' });
  readonly #asker = new Asker();
  readonly #name = h('input', { name: 'against', placeholder: 'Name of the opponent', autocomplete: 'off' });
  readonly #since = h('input', {
    name: 'since',
    type: 'number',
    min: 1000,
    max: 3000,
    placeholder: 'any year',
  });
  readonly #repertoire = h('textarea', {
    name: 'repertoire',
    rows: 4,
    placeholder: 'PGN with your lines',
    spellcheck: false,
  });
  readonly #body = h('div', { class: 'prepare-body' });
  readonly #slips = h('section', { class: 'prepared-slips' });

  /** What is shown: the opponent and the collections, or nothing yet. */
  #shown = '';

  /** `choose` goes to another opponent, `play` puts a line on the board, `open` opens a game. */
  constructor(
    readonly choose: (opponent: Opponent) => void,
    readonly play: (line: string) => void,
    readonly open: (id: number, ply: number) => void,
  ) {}

  /** Shows the view for an opponent, if there is one. */
  async ask(opponent: Opponent | undefined, collections: string): Promise<void> {
    this.#frame();
    const asked = opponent ? JSON.stringify([opponent, collections]) : '';
    if (asked === this.#shown) return;
    this.#shown = asked;
    if (!opponent) return this.#welcome();
    this.#name.value = opponent.name;
    this.#since.value = opponent.since;
    await this.#prepare(opponent);
  }

  #frame(): void {
    if (this.element.firstChild) return;
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const name = this.#name.value.trim();
      if (!name) return this.#name.focus();
      // The same opponent may be asked about with another repertoire.
      this.#shown = '';
      keep('repertoire', this.#repertoire.value);
      this.choose({ name, since: this.#since.value });
    };
    fill(
      this.element,
      h(
        'form',
        { class: 'setup-row', onsubmit: submit },
        h('label', {}, 'Against ', this.#name),
        h('label', {}, 'since ', this.#since),
        h('button', { type: 'submit', class: 'primary' }, 'Prepare'),
        h('details', {}, h('summary', {}, 'My repertoire'), h('label', {}, 'Lines ', this.#repertoire)),
      ),
      this.#body,
    );
    this.#repertoire.value = kept('repertoire') ?? '';
    this.#welcome();
  }

  #welcome(): void {
    const words = 'Give a name, or a part of it. Scores are those of the opponent.';
    fill(this.#body, emptyState('What will my opponent do?', words));
  }

  async #prepare({ name, since }: Opponent): Promise<void> {
    fill(
      this.#body,
      emptyState('Looking at the games…', h('progress', { 'aria-label': 'Looking at the games' })),
    );
    try {
      const repertoire = this.#repertoire.value.trim();
      const found = await this.#asker.ask('prepare', {
        against: name,
        ...(Number(since) ? { since: Number(since) } : {}),
        ...(repertoire ? { repertoire } : {}),
      });
      if (found) this.#draw(found, name);
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#prepare({ name, since })),
      );
    }
  }

  #draw(found: Prepared, against: string): void {
    const games = found.games.map(({ game, color, result: score }) =>
      h('li', {}, this.#link(game, 0), h('span', { class: 'faint' }, ` ${score} with ${color}`)),
    );
    const parallels = found.parallels.map((it) =>
      h(
        'li',
        {},
        this.#link(it.game, it.ply),
        h('span', { class: 'faint' }, ` ${percent(it.similarity)} like ${it.line}`),
      ),
    );
    const start = h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => void this.#review(found.games, against) },
      'Review the openings',
    );
    fill(this.#slips, start);
    fill(
      this.#body,
      this.#side(found.white),
      this.#side(found.black),
      table('Structures', found.structures.slice(0, 10)),
      table('Endings', found.endings.slice(0, 8)),
      ...(parallels.length
        ? [h('h3', {}, 'Like my repertoire'), h('ul', { class: 'prepared-parallels' }, ...parallels)]
        : []),
      h('h3', {}, 'Games to look at'),
      h('ul', { class: 'prepared-games' }, ...games),
      this.#slips,
    );
  }

  #link(game: OpponentGame['game'], ply: number): HTMLElement {
    return h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => this.open(game.id, ply) },
      `${players(game)} ${year(game)} (${result(game)})`,
    );
  }

  /** Reviews the openings game by game; each lapse shows as soon as it is found. */
  async #review(games: OpponentGame[], player: string): Promise<void> {
    const bar = h('progress', { 'aria-label': 'Reviewing the openings', max: games.length, value: 0 });
    const list = h('ul');
    const status = h('p', { class: 'faint', role: 'status' });
    let isStopped = false;
    const stop = () => {
      isStopped = true;
      this.#asker.cancel();
    };
    const cancel = h('button', { type: 'button', class: 'quiet', onclick: stop }, 'Cancel');
    fill(this.#slips, h('h3', {}, 'Left what is known and erred'), bar, cancel, list, status);
    const begin = performance.now();
    let done = 0;
    try {
      for (const { game } of games) {
        const { pgn } = await get('game/{id}', { id: game.id });
        const review = isStopped ? undefined : await this.#asker.ask('review', { pgn, player, ...SETTINGS });
        if (!review) break;
        const moment = slip(review);
        if (review.departure && moment)
          list.append(
            h(
              'li',
              {},
              this.#link(game, moment.ply),
              h('p', {}, [review.departure.words, ...moment.words.slice(0, 2)].join(' ')),
            ),
          );
        bar.value = ++done;
        status.textContent = progress(done, games.length, (performance.now() - begin) / 1000, 'games');
      }
      bar.remove();
      cancel.remove();
      status.textContent = `${list.childElementCount} in ${done} games`;
    } catch (error) {
      fill(
        this.#slips,
        faultState(error, () => void this.#review(games, player)),
      );
    }
  }

  #side(side: Side): HTMLElement {
    const { total } = side;
    if (games(total) === 0) return h('section', {}, h('h3', {}, `With ${total.name}: no games`));
    const branches = side.tree.map((it) => {
      const number = `${Math.floor(it.ply / 2) + 1}${it.ply % 2 ? '…' : '.'}`;
      const row = h(
        'li',
        {},
        h(
          'button',
          { type: 'button', class: 'move', onclick: () => this.play(it.results.name) },
          `${number}${it.san}`,
        ),
        h('span', { class: 'faint' }, ` ${figures(it.results)}`),
      );
      row.style.marginInlineStart = `${it.ply * 0.9}em`;
      return row;
    });
    return h(
      'section',
      { class: 'prepared-side' },
      h('h3', {}, `With ${total.name}: ${figures(total)}`),
      table('Openings', side.openings.slice(0, 8)),
      h('details', {}, h('summary', {}, 'Tree of moves'), h('ul', { class: 'prepared-tree' }, ...branches)),
    );
  }
}

const games = (it: Results): number => it.wins + it.draws + it.losses + it.unknown;

/** Games, score and the last year. */
export function figures(it: Results): string {
  const known = it.wins + it.draws + it.losses;
  const count = games(it);
  const parts = [count === 1 ? '1 game' : `${count} games`];
  if (known) parts.push(percent((it.wins + it.draws / 2) / known));
  if (it.last_year) parts.push(`last ${it.last_year}`);
  return parts.join(', ');
}

function table(title: string, rows: Results[]): HTMLElement {
  if (!rows.length) return h('div', {});
  const row = (it: Results) => h('tr', {}, h('th', { scope: 'row' }, it.name), h('td', {}, figures(it)));
  return h('table', { class: 'balance wide' }, h('caption', {}, title), h('tbody', {}, ...rows.map(row)));
}
