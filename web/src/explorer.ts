// The moves played in exactly this position and in similar ones, side by side.

import { quotation } from './annotation';
import { Asker, type Explored, type SearchAnswer } from './api';
import { fill, grouped, h, percent } from './dom';
import { gameParameters, openedAt, type Opened, type Settings } from './place';
import { players, resultText } from './words';

/** Results of the games that continued with a move. */
interface Count {
  readonly games: number;
  readonly white: number;
  readonly draws: number;
  readonly black: number;
}

/** A move, with its games in exactly this position and in similar ones. */
export interface Row {
  readonly uci: string;
  readonly san: string;
  readonly hint: string;
  readonly here?: Count;
  readonly alike?: Count;
}

export type Order = 'move' | 'here' | 'score' | 'alike' | 'alikeScore';

const HEADS: [Order, string, string][] = [
  ['move', 'Move', 'Sort by move'],
  ['here', 'Here', 'Sort by games with exactly this position'],
  ['score', 'Result', 'Sort by result in this position'],
  ['alike', 'Similar', 'Sort by games with similar positions'],
  ['alikeScore', 'Result', 'Sort by result in similar positions'],
];

/** The number of moves that variations suggest to show. */
const SUGGESTED = 6;
/** The number of games to show below the moves; the others are in a view of their own. */
const GAMES = 4;

export class Explorer {
  readonly element: HTMLElement;
  readonly #opening = h('h2', { class: 'opening' });
  readonly #table = h('div', { class: 'explorer-table', tabindex: -1 });
  readonly #games = h('section', { class: 'explorer-games', 'aria-label': 'Games with this position' });
  readonly #suggested = h('p', { class: 'suggested', hidden: true });
  readonly #said = h('div', { class: 'annotators', hidden: true });
  readonly #asker = new Asker();
  #explored: Explored | null | undefined;
  #answer: SearchAnswer | undefined;
  #order: Order = 'here';
  #absence = '';
  #turn = 'white';
  #total: number | undefined;

  constructor(
    readonly play: (uci: string) => void,
    readonly open: (game: Opened) => void,
    /** Called with the moves of a new answer. */
    readonly onRows: (rows: readonly Row[]) => void,
    /** Called with a sentence about what the filters leave. */
    readonly onAdmitted: (words: string) => void,
    readonly hover: (uci: string | undefined) => void,
    /** Lists all games with the position. */
    readonly listAll: () => void,
  ) {
    this.element = h(
      'section',
      { class: 'explorer', 'aria-label': 'Moves played' },
      this.#opening,
      this.#table,
      this.#games,
      this.#suggested,
      this.#said,
    );
  }

  /** Sets the number of games of the collection. */
  set total(games: number) {
    this.#total = games;
    if (this.#explored !== undefined) this.#explain();
  }

  /** Shows the moves of similar positions, once those of the position itself are there. */
  showSimilar(answer: SearchAnswer | undefined): void {
    this.#answer = answer;
    if (this.#explored !== undefined) this.#show();
  }

  async ask(fen: string, settings: Settings): Promise<void> {
    // The old table stays in sight until there is a new one, but never beside new moves.
    this.#explored = this.#answer = undefined;
    this.element.setAttribute('aria-busy', 'true');
    this.#turn = fen.split(' ')[1] === 'b' ? 'black' : 'white';
    const variations = settings.variations || undefined;
    const values = { fen, show_games: GAMES, variations, ...gameParameters(settings) };
    const explored = await this.#asker.ask('explore', values).catch(() => null);
    if (explored === undefined) return;
    this.element.removeAttribute('aria-busy');
    this.#explored = explored;
    this.#list(explored);
    const opening = explored?.opening;
    this.#opening.textContent = opening ? `${opening.eco} ${opening.name}` : 'Moves';
    this.#explain();
    this.#suggest(explored?.variations ?? []);
    this.#quote(explored?.comments ?? []);
  }

  #explain(): void {
    this.#absence = absence(this.#explored ?? null, this.#total);
    this.onAdmitted(this.#absence);
    this.#show();
  }

  #show(): void {
    const rows = merged(this.#explored?.moves ?? [], this.#answer?.moves ?? []);
    this.onRows(rows);
    if (rows.length === 0) return fill(this.#table, h('p', { class: 'faint' }, this.#absence));
    const sorted = inOrder(rows, this.#order, this.#turn);
    const head = HEADS.map(([order, words, title]) => {
      const sort = () => {
        this.#order = order;
        this.#show();
      };
      const sorting = order === this.#order ? (order === 'move' ? 'ascending' : 'descending') : undefined;
      return h(
        'th',
        { scope: 'col', 'aria-sort': sorting },
        h('button', { type: 'button', title, onclick: sort }, words),
      );
    });
    fill(
      this.#table,
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...head)),
        h('tbody', {}, ...sorted.map((it) => this.#row(it))),
      ),
      !rows.some((it) => it.here) && h('p', { class: 'faint' }, this.#absence),
    );
  }

  #row(row: Row): HTMLElement {
    const play = () => this.play(row.uci);
    return h(
      'tr',
      {
        class: 'row',
        onclick: (event: MouseEvent) => event.target instanceof HTMLButtonElement || play(),
        onmouseenter: () => this.hover(row.uci),
        onmouseleave: () => this.hover(undefined),
      },
      h(
        'th',
        { scope: 'row' },
        h('button', { type: 'button', class: 'move', title: row.hint, onclick: play }, row.san),
      ),
      ...cells(row.here, 'here'),
      ...cells(row.alike, 'alike'),
    );
  }

  /** The best games with the position, and how all of them ended. */
  #list(explored: Explored | null): void {
    const games = explored?.topGames ?? [];
    this.#games.hidden = games.length === 0;
    if (!explored || games.length === 0) return;
    const { white, draws, black, unknown } = explored;
    const all = white + draws + black + unknown;
    const words = all === 1 ? '1 game' : `All ${grouped(all)} games`;
    const rows = games.map((it) => {
      const open = () => this.open({ id: Number(it.id), ply: it.ply });
      const names = `${it.white.name} – ${it.black.name}`;
      return h(
        'tr',
        { class: 'row', onclick: open },
        h('th', { scope: 'row' }, h('button', { type: 'button', class: 'open', title: names }, names)),
        h('td', {}, resultText(it.result)),
        h('td', {}, it.year ?? ''),
      );
    });
    fill(
      this.#games,
      h(
        'div',
        { class: 'explorer-sum' },
        h('button', { type: 'button', class: 'source', onclick: () => this.listAll() }, words),
        bar(explored),
      ),
      h('table', {}, h('tbody', {}, ...rows)),
    );
  }

  /** The moves that annotators give in variations. */
  #suggest(moves: Explored['variations']): void {
    this.#suggested.hidden = moves.length === 0;
    const buttons = moves.slice(0, SUGGESTED).map(({ uci, san, variations }) => {
      const title = variations === 1 ? 'in one variation' : `in ${grouped(variations)} variations`;
      const play = () => this.play(uci);
      return h('button', { type: 'button', class: 'move', title, onclick: play }, `${san} (${variations})`);
    });
    const more = moves.length > SUGGESTED && ` and ${moves.length - SUGGESTED} more`;
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
}

const cells = (count: Count | undefined, name: string): HTMLElement[] => [
  h('td', { class: `${name} games` }, count && grouped(count.games)),
  h('td', { class: name }, count && bar(count)),
];

/** Why the table has no game of this position. */
function absence(explored: Explored | null, all: number | undefined): string {
  if (!explored) return 'Not available.';
  const admitted = explored.admitted ?? all ?? 0;
  const of = all === undefined ? '' : ` of ${grouped(all)}`;
  if (admitted === all) return 'No game in the collection has this position.';
  if (admitted === 0) return `The filters leave 0${of} games. Try wider ones.`;
  return `The filters leave ${grouped(admitted)}${of} games, none with this position.`;
}

/** The moves of both tables, each once, in the order of the first and then of the second. */
export function merged(here: Explored['moves'], alike: SearchAnswer['moves']): Row[] {
  const rows = new Map<string, Row>();
  for (const it of here) {
    const { uci, san, white, draws, black } = it;
    const games = white + draws + black + it.unknown;
    const hint = it.opening?.name ?? '';
    rows.set(uci, { uci, san, hint, here: { games, white, draws, black } });
  }
  for (const it of alike) {
    const { uci, san, games, white, draws, black } = it;
    const known = rows.get(uci) ?? { uci, san, hint: '' };
    rows.set(uci, { ...known, alike: { games, white, draws, black } });
  }
  return [...rows.values()];
}

/** The share of points of the side to move. */
function score(count: Count | undefined, turn: string): number {
  if (!count) return -1;
  const known = count.white + count.draws + count.black;
  const won = turn === 'white' ? count.white : count.black;
  return known ? (won + count.draws / 2) / known : -0.5;
}

export function inOrder(rows: readonly Row[], order: Order, turn: string): Row[] {
  const keys: Record<Order, (row: Row) => number> = {
    move: () => 0,
    here: (it) => it.here?.games ?? 0,
    alike: (it) => it.alike?.games ?? 0,
    score: (it) => score(it.here, turn),
    alikeScore: (it) => score(it.alike, turn),
  };
  const key = keys[order];
  const { here, alike } = keys;
  return [...rows].sort((one, two) =>
    order === 'move'
      ? one.san.localeCompare(two.san)
      : key(two) - key(one) || here(two) - here(one) || alike(two) - alike(one),
  );
}

/** Three shares as one bar, labeled for screen readers. */
export function bar({ white, draws, black }: { white: number; draws: number; black: number }): HTMLElement {
  const known = white + draws + black;
  if (known === 0) return h('span', { class: 'faint', title: 'No result is known' }, '–');
  const parts = [
    ['white', white],
    ['draws', draws],
    ['black', black],
  ] as const;
  const label = `White ${percent(white / known)}, draw ${percent(draws / known)}, Black ${percent(black / known)}`;
  const spans = parts.map(([name, count]) => {
    const share = count / known;
    const span = h('span', { class: name }, share >= 0.25 ? `${Math.round(100 * share)}` : '');
    span.style.flexGrow = String(count);
    span.hidden = count === 0;
    return span;
  });
  return h('div', { class: 'bar', role: 'img', 'aria-label': label, title: label }, ...spans);
}
