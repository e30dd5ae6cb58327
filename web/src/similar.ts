// The list of similar positions, longer as the reader scrolls.

import { Asker, type Answer, type Hit } from './api';
import { card, type Around } from './card';
import { fill, grouped, h } from './dom';
import { emptyState, faultState } from './notice';
import { settingsToParts, type Settings } from './place';

const PAGE = 12;
/** What was played is counted over this many hits. */
const COUNTED = 96;
const MOST = 480;
/** As many reasons as leave four that are not places. */
const REASONS = 24;

export class SimilarList {
  readonly element: HTMLElement;
  readonly #list = h('ol', { class: 'cards', 'aria-label': 'Similar positions' });
  readonly #summary = h('p', { class: 'summary', role: 'status' });
  readonly #end = h('div', { class: 'list-end' });
  readonly #asker = new Asker();
  #settings: Settings | undefined;
  #around: Around | undefined;
  #shown = 0;
  #loading = false;

  constructor(readonly onAnswer: (answer: Answer | undefined) => void) {
    this.element = h('div', { class: 'similar' }, this.#summary, this.#list, this.#end);
    new IntersectionObserver(
      (entries) => {
        if (entries.some((it) => it.isIntersecting)) void this.#more();
      },
      { rootMargin: '600px' },
    ).observe(this.#end);
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
      this.#show(answer);
    } catch (error) {
      this.onAnswer(undefined);
      this.#summary.textContent = '';
      this.#shown = MOST;
      fill(
        this.#list,
        h(
          'li',
          { class: 'whole' },
          faultState(error, () => void this.ask(settings, around)),
        ),
      );
    } finally {
      this.#loading = false;
      this.element.removeAttribute('aria-busy');
    }
  }

  #get(after: number): Promise<Answer | undefined> {
    const values: [string, string][] = [
      ['fen', this.#around?.fen ?? ''],
      ['top', String(Math.max(COUNTED, after + PAGE))],
      ['after', String(after)],
      ['limit', String(PAGE)],
      ['reasons', String(REASONS)],
      ...settingsToParts(this.#settings as Settings),
    ];
    return this.#asker.ask<Answer>('search', values);
  }

  #show(answer: Answer): void {
    this.onAnswer(answer);
    const { games, positions } = answer.collection;
    this.#summary.textContent = `${grouped(positions)} positions of ${grouped(games)} games in ${answer.took_ms.toFixed(1)} ms`;
    this.#list.replaceChildren();
    if (answer.hits.length === 0) {
      const words = 'No game of the collection passes the filters. A wider filter may help.';
      this.#list.append(h('li', { class: 'whole' }, emptyState('Nothing found', words)));
    }
    this.#append(answer.hits);
    this.#shown = answer.hits.length < PAGE ? MOST : PAGE;
  }

  #append(hits: Hit[]): void {
    const around = this.#around;
    if (around) this.#list.append(...hits.map((it) => card(it, around)));
  }

  async #more(): Promise<void> {
    if (this.#loading || this.#shown === 0 || this.#shown >= MOST) return;
    this.#loading = true;
    try {
      const answer = await this.#get(this.#shown);
      if (!answer) return;
      this.#append(answer.hits);
      this.#shown = answer.hits.length < PAGE ? MOST : this.#shown + PAGE;
    } catch {
      // What is shown stays; scrolling again asks again.
    } finally {
      this.#loading = false;
    }
  }
}
