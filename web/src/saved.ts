// Queries that the reader keeps by name in this browser.

import { fill, h } from './dom';
import { notice } from './notice';

const KEY = 'tabiya-queries';

export class Saved {
  readonly element: HTMLElement;
  readonly #list = h('select', { name: 'saved', 'aria-label': 'Saved queries' });

  constructor(
    readonly current: () => string,
    readonly onChoose: (query: string) => void,
  ) {
    this.#list.addEventListener('change', () => {
      const query = this.#all()[this.#list.value];
      if (query) this.onChoose(query);
    });
    const button = (words: string, run: () => void) =>
      h('button', { type: 'button', class: 'quiet', onclick: run }, words);
    this.element = h(
      'div',
      { class: 'saved' },
      this.#list,
      button('Save', () => this.#save()),
      button('Forget', () => this.#forget()),
    );
    this.#show();
  }

  #all(): Record<string, string> {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
      return typeof stored === 'object' && stored ? (stored as Record<string, string>) : {};
    } catch {
      return {};
    }
  }

  #store(all: Record<string, string>): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      notice('This browser keeps nothing, so the query is not saved.', 'fault');
    }
    this.#show();
  }

  #save(): void {
    const query = this.current();
    if (!query) return notice('Draw or write a query first.');
    const name = prompt('Name of the query', this.#list.value)?.trim();
    if (!name) return;
    this.#store({ ...this.#all(), [name]: query });
    this.#list.value = name;
  }

  #forget(): void {
    const { [this.#list.value]: _, ...rest } = this.#all();
    this.#store(rest);
  }

  #show(): void {
    const names = Object.keys(this.#all()).sort();
    const options = names.map((it) => h('option', { value: it }, it));
    fill(
      this.#list,
      h('option', { value: '' }, names.length ? 'Saved queries' : 'No saved queries'),
      ...options,
    );
  }
}
