// The list of similar positions, which grows as the reader scrolls.

import { Asker, Rejection, address, type Hit, type SearchAnswer } from './api';
import { card, type Around } from './card';
import { drawn, fill, grouped, h } from './dom';
import { emptyState, faultState } from './notice';
import { toParameters, type Settings } from './place';

const PAGE = 8;
/** As many cards as a screen shows; the others of a page are drawn after them. */
const IN_SIGHT = 3;
/** The number of hits whose moves are counted. */
const COUNTED = 48;
const MOST = 480;
/** Enough reasons for four that are not places. */
const REASONS = 24;

export class SimilarList {
  readonly element: HTMLElement;
  readonly #list = h('ol', { class: 'cards', 'aria-label': 'Similar positions' });
  readonly #summary = h('p', { class: 'summary', role: 'status' });
  readonly #end = h('div', { class: 'list-end' });
  readonly #asker = new Asker();
  /** Why the list is empty, if it is. */
  readonly #absence = h('p', {}, 'No position of the collection passes the filters. Try wider ones.');
  #settings: Settings | undefined;
  #around: Around | undefined;
  #shown = 0;
  /** The numbers of the games shown. */
  #games: number[] = [];
  #loading = false;
  /** Whether the end of the list is nearly in sight. */
  #nearEnd = false;

  constructor(
    readonly onAnswer: (answer: SearchAnswer | undefined) => void,
    /** Says what is wrong beside the field that is to blame; returns whether there is one. */
    readonly blame: (message: string) => boolean,
  ) {
    const file = h('a', { class: 'save-hits', href: '#', download: 'similar.pgn' }, 'Save as PGN');
    // Made when it is needed: the list grows.
    file.addEventListener('click', () => (file.href = this.#file()));
    this.element = h(
      'div',
      { class: 'similar' },
      h('div', { class: 'similar-head' }, this.#summary, file),
      this.#list,
      this.#end,
    );
    const watch = (entries: IntersectionObserverEntry[]) => {
      this.#nearEnd = entries.at(-1)?.isIntersecting ?? false;
      void this.#more();
    };
    new IntersectionObserver(watch, { rootMargin: '600px' }).observe(this.#end);
    // Until the first answer the list shows where cards will be.
    const ghost = () => h('li', { class: 'ghost', 'aria-hidden': 'true' }, h('div', {}), h('div', {}));
    fill(this.#list, ghost(), ghost(), ghost());
    this.#summary.textContent = 'Searching…';
  }

  /** Says how many games the filters leave. */
  showAdmitted(words: string): void {
    this.#absence.textContent = words;
  }

  /** Asks for the best hits of a position. */
  async ask(settings: Settings, around: Around): Promise<void> {
    this.#settings = settings;
    this.#around = around;
    this.#loading = true;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const answer = await this.#get(0);
      if (!answer) return;
      await this.#show(answer);
      if (this.#around !== around) return;
    } catch (error) {
      this.onAnswer(undefined);
      this.#summary.textContent = '';
      this.#shown = MOST;
      const blamed = error instanceof Rejection && this.blame(error.message);
      const words = blamed
        ? emptyState('A filter is invalid', 'The message beside the field says how to write it.')
        : faultState(error, () => void this.ask(settings, around));
      fill(this.#list, h('li', { class: 'whole' }, words));
    }
    this.#loading = false;
    this.element.removeAttribute('aria-busy');
    await drawn();
    void this.#more();
  }

  #get(after: number): Promise<SearchAnswer | undefined> {
    return this.#asker.ask('search', {
      fen: this.#around?.fen ?? '',
      top: Math.max(COUNTED, after + PAGE),
      after,
      limit: PAGE,
      reasons: REASONS,
      ...toParameters(this.#settings as Settings),
    });
  }

  async #show(answer: SearchAnswer): Promise<void> {
    const { games, positions } = answer.collection;
    const took = Math.max(1, Math.round(answer.took_ms));
    this.#summary.textContent = `${grouped(games)} games searched in ${took} ms`;
    this.#summary.title = `${grouped(positions)} positions`;
    this.#list.replaceChildren();
    this.#games = [];
    if (answer.hits.length === 0) {
      this.#list.append(h('li', { class: 'whole' }, emptyState('Nothing found', this.#absence)));
    }
    this.#append(answer.hits.slice(0, IN_SIGHT));
    const around = this.#around;
    await drawn();
    if (this.#around !== around) return;
    // The table of moves and the cards out of sight come after the first picture.
    this.onAnswer(answer);
    this.#append(answer.hits.slice(IN_SIGHT));
    this.#shown = answer.hits.length < PAGE ? MOST : PAGE;
  }

  /** The address of the games shown, as PGN. */
  #file(): string {
    return address('games/pgn', { ids: [...new Set(this.#games)].join(','), limit: 1000 });
  }

  #append(hits: Hit[]): void {
    this.#games.push(...hits.map((it) => it.game.id));
    const around = this.#around;
    if (around) this.#list.append(...hits.map((it) => card(it, around)));
  }

  async #more(): Promise<void> {
    if (!this.#nearEnd || this.#loading || this.#shown === 0 || this.#shown >= MOST) return;
    this.#loading = true;
    // Without an answer the list stays as it is; scrolling tries again.
    const answer = await this.#get(this.#shown).catch(() => null);
    if (answer === undefined) return;
    this.#loading = false;
    if (!answer) return;
    this.#append(answer.hits);
    this.#shown = answer.hits.length < PAGE ? MOST : this.#shown + PAGE;
    // On a tall screen the end may still be in sight with the new cards.
    await drawn();
    void this.#more();
  }
}
