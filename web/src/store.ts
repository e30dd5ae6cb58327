// The one place that knows where the reader is, and tells everybody who listens.

import { fromAddress, toAddress, type Place } from './place';

type Listener = (now: Place, before: Place) => void;

export class Store {
  #place: Place;
  readonly #listeners: Listener[] = [];

  constructor() {
    this.#place = fromAddress(location.search);
    addEventListener('popstate', () => this.#change(fromAddress(location.search)));
  }

  get place(): Place {
    return this.#place;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Goes somewhere; the back button leads here again. */
  go(change: Partial<Place>): void {
    this.#write({ ...this.#place, ...change }, 'push');
  }

  /** Adjusts something small, for which nobody wants to press the back button. */
  adjust(change: Partial<Place>): void {
    this.#write({ ...this.#place, ...change }, 'replace');
  }

  #write(place: Place, how: 'push' | 'replace'): void {
    const address = toAddress(place);
    if (how === 'push' && address !== location.search) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.#change(place);
  }

  #change(place: Place): void {
    const before = this.#place;
    this.#place = place;
    for (const listener of this.#listeners) listener(place, before);
  }
}
