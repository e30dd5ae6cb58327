// The collections of the server: which to ask, and games that become part of them.

import { get, post, remove, upload, type ImportProgress, type ServedCollection } from './api';
import { fill, grouped, h, percent, tool } from './dom';
import { notice } from './notice';
import { duration } from './words';

/** How often the progress of imports is asked for, in milliseconds. */
const OFTEN = 400;

export class Collections {
  readonly element: HTMLDialogElement;
  /** The button in the page's head that names the collections asked. */
  readonly button: HTMLButtonElement;
  readonly #list = h('ul', { class: 'collections', 'aria-label': 'Collections' });
  readonly #imports = h('div', { class: 'imports', 'aria-live': 'polite' });
  readonly #name: HTMLInputElement;
  readonly #files: HTMLInputElement;
  #all: ServedCollection[] = [];
  #chosen = '';
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Imports of this page, to show their games when they are done. */
  readonly #mine = new Set<number>();
  /** Uploads of this page. */
  readonly #uploads = h('div', { class: 'imports' });
  readonly #adding: HTMLElement;
  #mayChange = true;

  constructor(
    /** Asks other collections; with `show`, shows their games. */
    readonly onChoose: (names: string, show?: boolean) => void,
    readonly onLoad: (games: number) => void,
  ) {
    this.button = h('button', {
      type: 'button',
      class: 'collection',
      title: 'Collections',
      onclick: () => this.open(),
    });
    this.#name = h('input', {
      name: 'collection-name',
      placeholder: 'Name of the collection',
      'aria-label': 'Name of the collection',
      maxlength: 64,
      autocomplete: 'off',
    });
    this.#files = h('input', {
      type: 'file',
      name: 'games',
      multiple: true,
      hidden: true,
      'aria-label': 'Files with games',
      onchange: () => void this.#chose(),
    });
    const close = tool('close', 'Close', 'Esc', () => this.element.close());
    const choose = h(
      'button',
      { type: 'button', class: 'primary', onclick: () => this.#files.click() },
      'Choose files…',
    );
    this.#adding = h(
      'section',
      { 'aria-labelledby': 'adding-title' },
      h('h3', { id: 'adding-title' }, 'Import games'),
      h(
        'p',
        { class: 'faint' },
        'PGN (also .zst, .gz, .bz2), Scid (.si4, .si5) or ChessBase (.cbh, .cbv; choose all files of the base). You can also drop files anywhere on the page.',
      ),
      h('div', { class: 'field' }, this.#name, choose, this.#files),
    );
    this.element = h(
      'dialog',
      { class: 'shelf', 'aria-labelledby': 'shelf-title' },
      h('header', {}, h('h2', { id: 'shelf-title' }, 'Collections'), close),
      h('p', { class: 'faint' }, 'Check several to ask them together.'),
      this.#list,
      this.#adding,
      this.#uploads,
      this.#imports,
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  open(): void {
    if (!this.element.open) this.element.showModal();
    void this.load();
    void this.#look();
  }

  /** Says whether the reader may import, rename and delete. */
  allow(mayChange: boolean): void {
    this.#mayChange = mayChange;
    if (!mayChange)
      fill(
        this.#adding,
        h('p', { class: 'faint' }, 'Your token does not allow importing or deleting games.'),
      );
    this.#write();
  }

  /** Shows which collections are asked. */
  show(names: string): void {
    this.#chosen = names;
    this.#write();
  }

  async load(): Promise<void> {
    this.#all = await get('collections', {}).catch(() => this.#all);
    this.#write();
  }

  /** The collections asked; the first one if none is chosen. */
  get #asked(): ServedCollection[] {
    const names = this.#chosen.split(',');
    const chosen = this.#all.filter((it) => names.includes(it.name));
    return chosen.length ? chosen : this.#all.slice(0, 1);
  }

  #write(): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    const games = asked.reduce((sum, it) => sum + it.games, 0);
    const names = asked.map((it) => it.name).join(' + ');
    fill(this.button, h('span', {}, names), ` ${grouped(games)} games`);
    this.onLoad(games);
    fill(this.#list, ...this.#all.map((it) => this.#item(it, asked)));
  }

  #item(it: ServedCollection, asked: ServedCollection[]): HTMLElement {
    const box = h('input', {
      type: 'checkbox',
      checked: asked.includes(it),
      'aria-label': `Ask ${it.name}`,
      onchange: () => {
        const names = asked.filter((other) => other !== it).map((other) => other.name);
        if (box.checked) names.push(it.name);
        // Without any, the first one is asked.
        this.onChoose(
          this.#all
            .filter((all) => names.includes(all.name))
            .map((all) => all.name)
            .join(','),
        );
      },
    });
    const only = () => {
      this.onChoose(it.name);
      this.element.close();
    };
    const statistics = h('details', { class: 'statistics' }, h('summary', {}, 'Statistics'));
    statistics.addEventListener('toggle', () => void this.#count(statistics, it.name), { once: true });
    return h(
      'li',
      {},
      box,
      h(
        'button',
        { type: 'button', class: 'name', title: 'Ask this collection alone', onclick: only },
        it.name,
      ),
      h('span', { class: 'faint' }, `${grouped(it.games)} games, ${grouped(it.positions)} positions`),
      it.own && this.#mayChange && tool('edit', `Rename ${it.name}`, '', () => void this.#rename(it.name)),
      it.own && this.#mayChange && tool('trash', `Delete ${it.name}`, '', () => void this.#delete(it)),
      statistics,
    );
  }

  /** Adds what is in a collection to its place in the list. */
  async #count(to: HTMLElement, collection: string): Promise<void> {
    const values = { collection } as object;
    const it = await get('stats', values).catch(() => undefined);
    if (!it) return;
    const share = (result: string) => percent((it.results[result] ?? 0) / Math.max(1, it.games));
    const rows: [string, string][] = [
      ['Players', grouped(it.players)],
      ['Dates', `${it.first_date ?? '?'} to ${it.last_date ?? '?'}`],
      ['Results', `White ${share('1-0')}, draw ${share('1/2-1/2')}, Black ${share('0-1')}`],
      ['Rated games', it.mean_elo ? `${grouped(it.rated)}, on average ${Math.round(it.mean_elo)}` : 'none'],
      ['On disk', megabytes(it.bytes)],
    ];
    to.append(
      h('dl', {}, ...rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))),
    );
  }

  async #rename(name: string): Promise<void> {
    const wanted = prompt('New name of the collection', name)?.trim();
    if (!wanted || wanted === name) return;
    await this.#change(post('collections/{name}', { name: wanted }, { name }), name);
  }

  async #delete({ name, games }: ServedCollection): Promise<void> {
    if (!confirm(`Delete “${name}” with its ${grouped(games)} games from the disk?`)) return;
    await this.#change(remove('collections/{name}', { name }), name);
  }

  async #change(change: Promise<unknown>, name: string): Promise<void> {
    try {
      await change;
      await this.load();
      if (this.#chosen.split(',').includes(name)) this.onChoose('');
    } catch (error) {
      notice(error instanceof Error ? error.message : String(error), 'fault');
    }
  }

  async #chose(): Promise<void> {
    const files = [...(this.#files.files ?? [])];
    this.#files.value = '';
    if (files.length) await this.import(files);
  }

  /** The name, with a number if it belongs to a collection that takes no games. */
  #freeName(name: string): string {
    const isTaken = (it: string) => this.#all.some((other) => other.name === it && !other.own);
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name} ${number}`;
      if (!isTaken(free)) return free;
    }
  }

  /** Uploads files and imports their games. */
  async import(files: readonly File[]): Promise<void> {
    this.open();
    if (!this.#mayChange) return;
    const collection = this.#name.value.trim() || this.#freeName(nameOf(files[0]?.name ?? 'games'));
    const id = crypto.getRandomValues(new Uint32Array(4)).join('');
    const size = files.reduce((sum, it) => sum + it.size, 0);
    const stop = new AbortController();
    const bar = h('progress', { max: Math.max(1, size), value: 0, 'aria-label': 'Upload' });
    const facts = h('span', { class: 'faint' }, 'uploading…');
    const cancel = () => stop.abort();
    const row = h(
      'div',
      { class: 'import upload' },
      h('strong', {}, collection),
      bar,
      facts,
      h('button', { type: 'button', class: 'quiet', onclick: cancel }, 'Cancel'),
    );
    this.#uploads.prepend(row);
    const begin = performance.now();
    const show = (sent: number) => {
      bar.value = sent;
      facts.textContent = pace(sent, size, (performance.now() - begin) / 1000);
    };
    try {
      let before = 0;
      for (const file of files) {
        await upload(id, file, (sent) => show(before + sent), stop.signal);
        before += file.size;
      }
      const begun = await post('imports', { upload: id, collection });
      this.#name.value = '';
      this.#mine.add(begun.id);
      this.#watch();
    } catch (error) {
      if (stop.signal.aborted) notice(`The upload to “${collection}” was canceled.`);
      else notice(`Import failed: ${error instanceof Error ? error.message : error}`, 'fault');
    } finally {
      row.remove();
    }
  }

  #watch(): void {
    void this.#look();
    this.#timer ??= setInterval(() => void this.#look(), OFTEN);
  }

  async #look(): Promise<void> {
    const imports = await get('imports', {}).catch(() => []);
    const running = imports.some((it) => it.state === 'running');
    fill(this.#imports, ...[...imports].reverse().map((it) => this.#progress(it)));
    if (running) this.#timer ??= setInterval(() => void this.#look(), OFTEN);
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const it of imports) {
      if (it.state === 'running' || !this.#mine.delete(it.id)) continue;
      await this.load();
      if (it.games === 0) continue;
      notice(`Imported ${grouped(it.games)} games into “${it.collection}”.`);
      if (it.problems.length === 0) this.element.close();
      this.onChoose(it.collection, true);
    }
  }

  #progress(it: ImportProgress): HTMLElement {
    const share = it.size ? it.bytes / it.size : 0;
    const rate = it.seconds > 0 ? it.games / it.seconds : 0;
    const facts = [
      `${grouped(it.games)} games`,
      it.state === 'running' && rate > 0 && `${grouped(Math.round(rate))} a second`,
      typeof it.remaining === 'number' && `${duration(it.remaining)} left`,
      it.state !== 'running' && `${STATES[it.state] ?? it.state} after ${duration(it.seconds)}`,
      it.duplicates > 0 && `${grouped(it.duplicates)} were there already`,
      it.skipped > 0 && `${grouped(it.skipped)} could not be read`,
    ].filter(Boolean);
    const cancel = () => void remove('imports/{id}', { id: it.id }).then(() => this.#look());
    const problems =
      it.problems.length > 0 &&
      h(
        'details',
        { class: 'problems' },
        h('summary', {}, it.problems.length === 1 ? '1 problem' : `${it.problems.length} problems`),
        h('ul', {}, ...it.problems.map((words) => h('li', {}, words))),
      );
    return h(
      'div',
      { class: 'import', 'data-state': it.state },
      h('strong', {}, it.collection),
      it.state === 'running' && h('progress', { max: 1, value: share.toFixed(3), 'aria-label': 'Import' }),
      h('span', { class: 'faint' }, facts.join(' · ')),
      it.state === 'running' && h('button', { type: 'button', class: 'quiet', onclick: cancel }, 'Cancel'),
      problems,
    );
  }
}

const STATES: Record<string, string> = { done: 'done', canceled: 'canceled', failed: 'failed' };

/** A collection's name from a file's: without its endings and what a name cannot have. */
export const nameOf = (file: string): string =>
  file
    .replace(/\.(zst|gz|bz2)$/i, '')
    .replace(/\.[^.]+$/, '')
    .replace(/[/\\,:*?"<>|]/g, ' ')
    .trim()
    .replace(/^\.+/, '')
    .slice(0, 64) || 'games';

/** How far an upload is: bytes, rate, and the remaining time. */
export function pace(sent: number, size: number, seconds: number): string {
  const rate = seconds > 0 ? sent / seconds : 0;
  const left = rate > 0 && `${duration((size - sent) / rate)} left`;
  const speed = rate > 0 && `${megabytes(rate)} a second`;
  return [`uploading ${megabytes(sent)} of ${megabytes(size)}`, speed, left].filter(Boolean).join(' · ');
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
