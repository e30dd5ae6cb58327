// Preparation for an opponent: what he plays with each color, his endings, and games to look at.

import { Asker, type Prepared } from './api';
import { fill, h, percent } from './dom';
import { emptyState, faultState } from './notice';
import { players, result, year } from './words';

type Results = Prepared['white']['total'];
type Side = Prepared['white'];

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
  readonly #body = h('div', { class: 'prepare-body' });

  /** `play` puts a line on the board, `open` opens a game. */
  constructor(
    readonly play: (line: string) => void,
    readonly open: (id: number) => void,
  ) {}

  show(): void {
    if (this.element.firstChild) return;
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      void this.#ask();
    };
    fill(
      this.element,
      h(
        'form',
        { class: 'setup-row', onsubmit: submit },
        h('label', {}, 'Against ', this.#name),
        h('label', {}, 'since ', this.#since),
        h('button', { type: 'submit', class: 'primary' }, 'Prepare'),
      ),
      this.#body,
    );
    const words = 'Give a name, or a part of it. Scores are those of the opponent.';
    fill(this.#body, emptyState('What will my opponent do?', words));
  }

  async #ask(): Promise<void> {
    const against = this.#name.value.trim();
    if (!against) return this.#name.focus();
    const since = Number(this.#since.value);
    fill(
      this.#body,
      emptyState('Looking at the games…', h('progress', { 'aria-label': 'Looking at the games' })),
    );
    try {
      const found = await this.#asker.ask('prepare', { against, ...(since ? { since } : {}) });
      if (found) this.#draw(found);
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#ask()),
      );
    }
  }

  #draw(found: Prepared): void {
    const games = found.games.map(({ game, color, result: score }) =>
      h(
        'li',
        {},
        h(
          'button',
          { type: 'button', class: 'quiet', onclick: () => this.open(game.id) },
          `${players(game)} ${year(game)} (${result(game)})`,
        ),
        h('span', { class: 'faint' }, ` ${score} with ${color}`),
      ),
    );
    fill(
      this.#body,
      this.#side(found.white),
      this.#side(found.black),
      table('Structures', found.structures.slice(0, 10)),
      table('Endings', found.endings.slice(0, 8)),
      h('h3', {}, 'Games to look at'),
      h('ul', { class: 'prepared-games' }, ...games),
    );
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
