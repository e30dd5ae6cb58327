// The one owner of the place, which notifies its listeners.

import { fromAddress, toAddress, type Place } from './place';
import type { How } from './turns';

type Listener = (now: Place, before: Place, how: How) => void;

export class Store {
  #place: Place;
  readonly #listeners: Listener[] = [];

  constructor() {
    this.#place = fromAddress(location.search);
    addEventListener('popstate', () => this.#change(fromAddress(location.search), 'history'));
  }

  get place(): Place {
    return this.#place;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Goes somewhere; the back button returns here. */
  go(change: Partial<Place>): void {
    this.#write({ ...this.#place, ...change }, 'go');
  }

  /** Makes a small change that the back button skips. */
  adjust(change: Partial<Place>): void {
    this.#write({ ...this.#place, ...change }, 'adjust');
  }

  #write(place: Place, how: 'go' | 'adjust'): void {
    const address = toAddress(place);
    if (how === 'go' && address !== location.search) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.#change(place, how);
  }

  #change(place: Place, how: How): void {
    const before = this.#place;
    this.#place = place;
    for (const listener of this.#listeners) listener(place, before, how);
  }
}
