// The one owner of the place, which notifies its listeners. The address holds the place but for the
// variations, which the browser's history holds beside it.

import { fromAddress, toAddress, type Place } from './place';
import { hasLine, readPgnTree, treeOf, writePgn, type Tree } from './tree';
import type { How } from './turns';

type Listener = (now: Place, before: Place, how: How) => void;

/** What undo restores. */
type Draft = Pick<Place, 'tree' | 'line' | 'at'>;

export class Store {
  #place: Place;
  readonly #listeners: Listener[] = [];
  #past: Draft[] = [];
  #future: Draft[] = [];

  constructor() {
    this.#place = restored(history.state);
    addEventListener('popstate', (event) => this.#change(restored(event.state), 'history'));
  }

  get place(): Place {
    return this.#place;
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Goes somewhere; the back button returns here. */
  go(change: Partial<Place>): void {
    this.#write(this.#edited(change), 'go');
  }

  /** Makes a small change that the back button skips. */
  adjust(change: Partial<Place>): void {
    this.#write(this.#edited(change), 'adjust');
  }

  /** Takes back the last change of the game. */
  undo(): void {
    this.#swap(this.#past, this.#future);
  }

  redo(): void {
    this.#swap(this.#future, this.#past);
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  #swap(from: Draft[], to: Draft[]): void {
    const draft = from.pop();
    if (!draft) return;
    to.push(this.#draft());
    this.#write({ ...this.#place, ...draft }, 'go');
  }

  #draft(): Draft {
    const { tree, line, at } = this.#place;
    return { tree, line, at };
  }

  #edited(change: Partial<Place>): Place {
    const place = { ...this.#place, ...change };
    const tree = hasLine(place.tree, place.line) ? place.tree : treeOf(place.line);
    if (tree !== this.#place.tree) {
      this.#past = [...this.#past.slice(-99), this.#draft()];
      this.#future = [];
    }
    return { ...place, tree };
  }

  #write(place: Place, how: 'go' | 'adjust'): void {
    const address = toAddress(place);
    const state = { pgn: pgnOf(place.tree) };
    const isNew = address !== location.search || place.tree !== this.#place.tree;
    if (how === 'go' && isNew) history.pushState(state, '', address);
    else history.replaceState(state, '', address);
    this.#change(place, how);
  }

  #change(place: Place, how: How): void {
    const before = this.#place;
    this.#place = place;
    for (const listener of this.#listeners) listener(place, before, how);
  }
}

/** The place of the address, with the variations that the history holds for it. */
function restored(state: unknown): Place {
  const place = fromAddress(location.search);
  const pgn = (state as { pgn?: unknown } | null)?.pgn;
  const read = typeof pgn === 'string' ? readPgnTree(pgn) : 'none';
  const tree = typeof read === 'string' ? place.tree : read.tree;
  return hasLine(tree, place.line) ? { ...place, tree } : place;
}

/** Trees do not change, so each is written once. */
const written = new WeakMap<Tree, string>();
function pgnOf(tree: Tree): string {
  const known = written.get(tree) ?? writePgn(tree);
  written.set(tree, known);
  return known;
}
