// The review of the game on the board: the evaluation curve and the moments that cost something.

import { Asker, get, type Review, type ReviewMoment } from './api';
import { fill, h } from './dom';
import { keep, kept } from './kept';
import { emptyState, faultState } from './notice';
import { joined } from './reviewed';
import { players, progress, result, year } from './words';

/** How long each position is searched, in nodes. */
const DEPTHS: [number, string][] = [
  [10_000, 'quick'],
  [40_000, 'usual'],
  [100_000, 'thorough'],
];

const SIDES: Record<string, string> = { white: 'White', black: 'Black' };

const SPACE = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [600, 120];

/** The number of plies of a request: short enough to show progress and to be done in time. */
const PLIES = 4;

/** What the view does with the rest of the page. */
export interface ReviewActions {
  /** Shows the position after some plies of the game. */
  goTo: (ply: number) => void;
  open: (id: number, ply: number) => void;
  /** Exercises like a position whose best line is known. */
  practice: (fen: string, line: string) => void;
}

export class ReviewView {
  readonly element = h('div', { class: 'review' });
  readonly #asker = new Asker();
  readonly #depth = h(
    'select',
    { name: 'depth' },
    ...DEPTHS.map(([nodes, words]) => h('option', { value: nodes, selected: nodes === 40_000 }, words)),
  );
  readonly #least = h(
    'select',
    { name: 'least' },
    ...['inaccuracy', 'mistake', 'blunder'].map((it) =>
      h('option', { value: it, selected: it === 'mistake' }, it),
    ),
  );
  readonly #body = h('div', { class: 'review-body' });
  /** Reviews of this visit, by game, collections and settings. */
  readonly #known = new Map<string, Review>(kept('reviews') ?? []);
  #pgn = '';
  #collections = '';
  #ply = 0;

  constructor(readonly actions: ReviewActions) {}

  /** Shows the game; a review that was made before, of the same collections, comes back at once. */
  see(pgn: string, ply: number, collections: string): void {
    this.#frame();
    this.#ply = ply;
    if (pgn !== this.#pgn || collections !== this.#collections) {
      this.#asker.cancel();
      this.#pgn = pgn;
      this.#collections = collections;
      this.#show();
    } else this.#mark();
  }

  #key(): string {
    return [this.#collections, this.#pgn, this.#depth.value, this.#least.value].join('\n');
  }

  #frame(): void {
    if (this.element.firstChild) return;
    const settings = kept<[string, string]>('review');
    if (settings) [this.#depth.value, this.#least.value] = settings;
    const changed = () => {
      keep('review', [this.#depth.value, this.#least.value]);
      this.#show();
    };
    for (const it of [this.#depth, this.#least]) it.addEventListener('change', changed);
    fill(
      this.element,
      h(
        'div',
        { class: 'setup-row' },
        h('label', {}, 'Search ', this.#depth),
        h('label', {}, 'Least severity ', this.#least),
      ),
      this.#body,
    );
  }

  #show(): void {
    if (!/^\s*(\{.*\}\s*)?\d+\./m.test(this.#pgn.replace(/^\[.*\]$/gm, '')))
      return fill(
        this.#body,
        emptyState('No game on the board', 'Paste a PGN, open a game of the collection, or play some moves.'),
      );
    const known = this.#known.get(this.#key());
    if (known) return this.#draw(known);
    const start = h(
      'button',
      { type: 'button', class: 'primary', onclick: () => void this.#ask() },
      'Review this game',
    );
    const words =
      'Every position of the game on the board is searched. A longer search confirms each moment before it is shown.';
    fill(this.#body, emptyState('What did I miss?', words, start));
  }

  async #ask(): Promise<void> {
    const key = this.#key();
    const stop = () => {
      this.#asker.cancel();
      this.#show();
    };
    const bar = h('progress', { 'aria-label': 'Reviewing the game' });
    const status = h('p', { class: 'faint', role: 'status' });
    const cancel = h('button', { type: 'button', class: 'quiet', onclick: stop }, 'Cancel');
    fill(this.#body, emptyState('Reviewing the game…', bar, status, cancel));
    const begin = performance.now();
    const settings = { nodes: Number(this.#depth.value), least: this.#least.value as 'mistake' };
    try {
      let review: Review | undefined;
      for (let after = 0; !review || after < review.plies; after += PLIES) {
        const part = await this.#asker.ask('review', { pgn: this.#pgn, ...settings, after, plies: PLIES });
        if (!part) return;
        review = review ? joined(review, part) : part;
        const done = Math.min(after + PLIES, review.plies);
        Object.assign(bar, { max: review.plies, value: done });
        status.textContent = progress(done, review.plies, (performance.now() - begin) / 1000, 'plies');
      }
      this.#known.set(key, review);
      keep('reviews', [[key, review]]);
      if (key === this.#key()) this.#draw(review);
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#ask()),
      );
    }
  }

  #draw(review: Review): void {
    const rows = review.players.map((it) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, it.name && it.name !== '?' ? it.name : SIDES[it.side]),
        ...[it.moves, it.inaccuracies, it.mistakes, it.blunders].map((count) => h('td', {}, count)),
      ),
    );
    const head = ['Player', 'moves', 'inaccuracies', 'mistakes', 'blunders'];
    const nothing = h('p', { class: 'faint' }, 'No move cost so much.');
    fill(
      this.#body,
      this.#curve(review),
      h(
        'table',
        { class: 'balance' },
        h('thead', {}, h('tr', {}, ...head.map((it) => h('th', { scope: 'col' }, it)))),
        h('tbody', {}, ...rows),
      ),
      review.departure ? h('p', { class: 'faint' }, review.departure.words) : undefined,
      review.moments.length
        ? h('ol', { class: 'moments' }, ...review.moments.map((it) => this.#moment(it)))
        : nothing,
    );
    this.#mark();
    void this.#offer();
  }

  /** Offers practice if any collection has exercises. */
  async #offer(): Promise<void> {
    const collections = await get('collections', {}).catch(() => []);
    const has = collections.some((it) => it.exercises > 0);
    for (const it of this.#body.querySelectorAll<HTMLElement>('.practice')) it.hidden = !has;
  }

  #moment(moment: ReviewMoment): HTMLElement {
    const [first = '', ...more] = moment.words;
    const cited = moment.similar.map(({ game, ply, san }) =>
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => this.actions.open(game.id, ply) },
        `${players(game)} ${year(game)} (${result(game)}), ${san}`,
      ),
    );
    const line = moment.missed.length || !moment.allowed.length ? moment.better_line : moment.played_line;
    const isOwn = line === moment.better_line;
    const practice = h(
      'button',
      {
        type: 'button',
        class: 'primary practice',
        hidden: true,
        onclick: () =>
          this.actions.practice(
            isOwn ? moment.fen : moment.after_fen,
            (isOwn ? line : line.slice(1)).join(' '),
          ),
      },
      'Practice exercises like this',
    );
    return h(
      'li',
      { class: `moment ${moment.severity}`, 'data-ply': moment.ply },
      h(
        'button',
        { type: 'button', class: 'moment-head', onclick: () => this.actions.goTo(moment.ply) },
        first,
      ),
      ...more.map((it) => h('p', {}, it)),
      cited.length ? h('div', { class: 'cited' }, ...cited) : undefined,
      practice,
    );
  }

  /** White's winning chances; a click goes to the position. */
  #curve(review: Review): HTMLElement {
    const last = Math.max(1, review.evaluations.length - 1);
    const place = (ply: number): [number, number] => {
      const it = review.evaluations[ply];
      return [(ply * WIDTH) / last, HEIGHT / 2 - (HEIGHT / 2 - 4) * (it?.chance ?? 0)];
    };
    const points = review.evaluations.map((_, ply) =>
      place(ply)
        .map((it) => it.toFixed(1))
        .join(','),
    );
    const svg = draw('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'curve', role: 'img' });
    const count = review.moments.length;
    svg.setAttribute(
      'aria-label',
      `Winning chances of White over ${last} plies; moments: ${count ? review.moments.map((it) => it.played).join(', ') : 'none'}`,
    );
    svg.append(
      draw('line', { x1: 0, y1: HEIGHT / 2, x2: WIDTH, y2: HEIGHT / 2, class: 'zero' }),
      draw('polyline', { points: points.join(' ') }),
      draw('line', { x1: 0, y1: 0, x2: 0, y2: HEIGHT, class: 'here' }),
      ...review.moments.map((it) => {
        const [x, y] = place(it.ply + 1);
        const dot = draw('circle', { cx: x, cy: y, r: 5, class: it.severity });
        const title = draw('title', {});
        title.textContent = it.played;
        dot.append(title);
        return dot;
      }),
    );
    svg.addEventListener('click', (event) => {
      const box = svg.getBoundingClientRect();
      this.actions.goTo(Math.round(((event.clientX - box.x) / box.width) * last));
    });
    svg.dataset['last'] = String(last);
    return h('div', { class: 'curve-box' }, svg as unknown as HTMLElement);
  }

  /** Marks the position on the board in the curve and in the list. */
  #mark(): void {
    const svg = this.#body.querySelector<SVGElement>('.curve');
    if (!svg) return;
    const x = String((this.#ply * WIDTH) / Number(svg.dataset['last'] ?? 1));
    const here = svg.querySelector('.here');
    here?.setAttribute('x1', x);
    here?.setAttribute('x2', x);
    for (const it of this.#body.querySelectorAll<HTMLElement>('.moment'))
      it.toggleAttribute('data-here', Number(it.dataset['ply']) === this.#ply);
  }
}

function draw(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
