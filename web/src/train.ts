// Training: exercises on a board of their own, solved move by move, with spaced repetition.

import { Asker, address, get, post, type TrainingState, type TrainingTask } from './api';
import { PlayBoard } from './board';
import { fill, h, percent, tool } from './dom';
import { keep, kept } from './kept';
import { fenAt, positionAt, readMove, type Line } from './line';
import { emptyState, faultState, notice } from './notice';

const NAME = 'tabiya-learner';
const FORMATS: [string, string][] = [
  ['pgn', 'PGN'],
  ['epd', 'EPD'],
  ['anki', 'Anki'],
  ['html', 'Page to print'],
];

/** Exercises like a position, or any. */
export interface Like {
  fen: string;
  line: string;
}

/** An exercise of a set: its place and its name. */
interface Chosen {
  place: string;
  name: string;
}

/** What a reload brings back: the exercises of a session, and the set for a lesson. */
interface Session {
  collection: string;
  tasks: TrainingTask[];
  at: number;
  solved: number;
  set: Chosen[];
}

const SESSION = 'training';

type Grade = 'again' | 'hard' | 'good' | 'easy';

export class TrainView {
  readonly element = h('div', { class: 'train' });
  readonly #asker = new Asker();
  readonly #board = new PlayBoard(
    (uci) => void this.#moved(uci),
    () => {},
  );
  readonly #said = h('div', { class: 'train-said', role: 'status' });
  readonly #body = h('div', { class: 'train-body' });
  readonly #collection = h('select', { name: 'exercises', onchange: () => this.#switch() });
  readonly #learner = h('input', {
    name: 'learner',
    maxlength: 64,
    autocomplete: 'nickname',
    onchange: () => this.#rename(),
  });
  readonly #theme = h('input', { name: 'theme', placeholder: 'any, or fork', size: 10 });
  readonly #rating = h('input', { name: 'rating', placeholder: 'any, or 1400-1700', size: 14 });
  readonly #herrings = h('input', { type: 'checkbox', name: 'herrings', checked: true });
  /** What the exercises are chosen by; closed while there is one on the board. */
  readonly #choice = h('details', { class: 'train-choice', open: true });
  readonly #typed = h('input', {
    name: 'move',
    'aria-label': 'Your move',
    placeholder: 'Your move, such as Nf7',
    autocomplete: 'off',
  });

  #tasks: TrainingTask[] = [];
  #at = 0;
  /** The moves of the current exercise so far. */
  #line: Line = { fen: '', moves: [] };
  #ended = false;
  /** Whether the learner erred or asked for help. */
  #helped = false;
  #solved = 0;
  /** The set for a lesson. */
  #set: Chosen[] = [];
  #like: Like | undefined;
  #fen = '';
  /** Done when the collections are known. */
  #ready: Promise<void> | undefined;

  /** Shows the view; `fen` is the position on the page's board. */
  async ask(fen: string): Promise<void> {
    this.#fen = fen;
    this.#ready ??= this.#prepare();
    await this.#ready;
  }

  async #prepare(): Promise<void> {
    this.#learner.value = stored() || 'me';
    this.#frame();
    await this.#load();
    this.#resume();
  }

  /** Goes on with the session before a reload, from the beginning of its current exercise. */
  #resume(): void {
    const session = kept<Session>(SESSION);
    if (!session || session.collection !== this.#collection.value) return;
    this.#set = session.set;
    if (session.at >= session.tasks.length) return void this.#rest();
    this.#tasks = session.tasks;
    this.#at = session.at;
    this.#solved = session.solved;
    this.#show();
  }

  #keep(): void {
    const session: Session = {
      collection: this.#collection.value,
      tasks: this.#tasks,
      // What was answered is not asked again.
      at: this.#at + Number(this.#ended),
      solved: this.#solved,
      set: this.#set,
    };
    keep(SESSION, session);
  }

  /** Begins with exercises like a position. */
  async practice(like: Like): Promise<void> {
    await this.ask(like.fen);
    this.#like = like;
    await this.#begin();
  }

  #frame(): void {
    const begin = (like: boolean) => () => {
      this.#like = like ? { fen: this.#fen, line: '' } : undefined;
      void this.#begin();
    };
    fill(
      this.#choice,
      h('summary', {}, 'Choose exercises'),
      h(
        'div',
        { class: 'setup-row' },
        h('label', {}, 'Exercises ', this.#collection),
        h('label', {}, 'Learner ', this.#learner),
        h('label', {}, 'Theme ', this.#theme),
        h('label', {}, 'Rating ', this.#rating),
        h('label', {}, this.#herrings, ' red herrings'),
      ),
      h(
        'div',
        { class: 'setup-row' },
        h('button', { type: 'button', class: 'primary', onclick: begin(false) }, 'Train'),
        h('button', { type: 'button', class: 'quiet', onclick: begin(true) }, 'Exercises like the board'),
        h('button', { type: 'button', class: 'quiet', onclick: () => void this.#rest() }, 'Due and progress'),
      ),
    );
    fill(this.element, this.#choice, this.#body);
  }

  /** Clears the set: another collection has other exercises. */
  #switch(): void {
    this.#set = [];
    this.#tasks = [];
    this.#keep();
    void this.#rest();
  }

  #rename(): void {
    try {
      localStorage.setItem(NAME, this.#learner.value.trim());
    } catch {
      // Without storage the name lasts as long as the page.
    }
    void this.#rest();
  }

  /** Lists the collections that hold exercises. */
  async #load(): Promise<void> {
    try {
      const all = await get('collections', {});
      const fit = all.filter((it) => it.exercises > 0);
      fill(this.#collection, ...fit.map((it) => h('option', { value: it.name }, it.name)));
      this.element.toggleAttribute('data-empty', !fit.length);
      if (fit.length) return await this.#rest();
      const words =
        'Get the puzzles of Lichess with “tabiya get lichess-puzzles --db puzzles”, or index games with “--motifs”, and serve that collection.';
      fill(this.#body, emptyState('No exercises', words));
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#load()),
      );
    }
  }

  #asked(): { collection: string; learner: string; theme?: string; rating?: string } {
    const theme = this.#theme.value.trim();
    const rating = this.#rating.value.trim();
    return {
      collection: this.#collection.value,
      learner: this.#learner.value.trim() || 'me',
      ...(theme ? { theme } : {}),
      ...(rating ? { rating } : {}),
    };
  }

  async #begin(): Promise<void> {
    if (!this.#collection.value) return;
    fill(
      this.#body,
      emptyState('Looking for exercises…', h('progress', { 'aria-label': 'Looking for exercises' })),
    );
    try {
      const session = await this.#asker.ask('training', {
        ...this.#asked(),
        count: 10,
        herrings: this.#herrings.checked ? 4 : 0,
        ...(this.#like ? { like: this.#like.fen, line: this.#like.line } : {}),
      });
      if (!session) return;
      this.#tasks = session.tasks;
      this.#at = this.#solved = 0;
      this.#show();
    } catch (error) {
      fill(
        this.#body,
        faultState(error, () => void this.#begin()),
      );
    }
  }

  /** Shows the current exercise from its beginning. */
  #show(): void {
    this.#ended = this.#helped = false;
    this.#keep();
    const task = this.#tasks[this.#at];
    if (!task) return this.#finish();
    this.#line = { fen: task.fen, moves: [] };
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const uci = readMove(this.#position(), this.#typed.value.trim());
      if (uci) void this.#moved(uci);
      else notice('This is not a legal move here.', 'fault');
      this.#typed.value = '';
    };
    this.#choice.open = false;
    fill(
      this.#body,
      h('p', { class: 'faint' }, `Exercise ${this.#at + 1} of ${this.#tasks.length}`),
      h('div', { class: 'train-board' }, this.#board.element),
      this.#said,
      h(
        'form',
        { class: 'setup-row', onsubmit: submit },
        this.#typed,
        h(
          'button',
          { type: 'button', class: 'quiet', onclick: () => void this.#nothing() },
          'Nothing to find',
        ),
        h(
          'button',
          { type: 'button', class: 'quiet', onclick: () => void this.#reveal() },
          'Show the solution',
        ),
        h('button', { type: 'button', class: 'quiet', onclick: () => this.#add(task) }, 'Add to the set'),
      ),
      this.#lesson(),
    );
    const side = this.#position().turn === 'white' ? 'White' : 'Black';
    fill(
      this.#said,
      h('p', { class: 'verdict' }, `${side} to move. Find the best move, if there is something to find.`),
    );
    this.#draw(task.last ?? undefined);
  }

  #position() {
    return positionAt(this.#line, this.#line.moves.length);
  }

  #draw(last?: string): void {
    const orientation = positionAt(this.#line, 0).turn;
    this.#board.show(this.#position(), orientation, last ?? this.#line.moves.at(-1));
    this.#board.api.redrawAll();
  }

  /** The learner moved: the solution goes on, or the engine is asked. */
  async #moved(uci: string): Promise<void> {
    const task = this.#tasks[this.#at];
    if (!task || this.#ended) return;
    const wanted = task.uci[this.#line.moves.length];
    if (wanted === undefined) return this.#end('again', 'There was nothing to find here.');
    if (uci === wanted) return this.#advance(task, uci);
    const fen = fenAt(this.#line, this.#line.moves.length);
    fill(this.#said, h('p', { class: 'faint' }, 'The engine looks at your move…'));
    try {
      const found = await this.#asker.ask('training/check', { fen, played: uci, wanted });
      if (!found || this.#ended) return;
      if (found.accepted) return await this.#end(this.#helped ? 'hard' : 'good', found.reason);
      this.#draw();
      await this.#end('again', `${found.reason} The solution is ${task.san.join(' ')}.`);
    } catch (error) {
      this.#draw();
      notice(`The move was not checked: ${error instanceof Error ? error.message : error}`, 'fault');
    }
  }

  #advance(task: TrainingTask, uci: string): Promise<void> | void {
    const reply = task.uci[this.#line.moves.length + 1];
    const moves = [...this.#line.moves, uci, ...(reply ? [reply] : [])];
    this.#line = { fen: task.fen, moves };
    this.#draw();
    const next = task.uci[moves.length];
    if (!next) return this.#end(this.#helped ? 'hard' : 'good', `Solved: ${task.san.join(' ')}.`);
    fill(
      this.#said,
      h('p', { class: 'verdict' }, `Right. The reply is ${task.san[moves.length - 1] ?? ''}.`),
    );
  }

  #nothing(): Promise<void> | void {
    const task = this.#tasks[this.#at];
    if (!task || this.#ended) return;
    if (task.uci.length === 0) return this.#end('good', 'Right: there is nothing to find.');
    return this.#end('again', `There was something: ${task.san.join(' ')}.`);
  }

  #reveal(): Promise<void> | void {
    const task = this.#tasks[this.#at];
    if (!task || this.#ended) return;
    const words = task.uci.length ? `The solution is ${task.san.join(' ')}.` : 'There is nothing to find.';
    return this.#end('again', words);
  }

  /** Keeps the attempt and shows what comes next. */
  async #end(grade: Grade, words: string): Promise<void> {
    const task = this.#tasks[this.#at];
    if (!task || this.#ended) return;
    this.#ended = true;
    if (grade !== 'again') this.#solved += 1;
    this.#keep();
    const next = h(
      'button',
      {
        type: 'button',
        class: 'primary',
        onclick: () => {
          this.#at += 1;
          this.#show();
        },
      },
      this.#at + 1 < this.#tasks.length ? 'Next' : 'Finish',
    );
    const about = h('p', { class: 'faint' });
    fill(
      this.#said,
      h('p', { class: grade === 'again' ? 'verdict failed' : 'verdict solved' }, words),
      task.motifs.length ? h('p', { class: 'faint' }, `Motifs: ${task.motifs.join(', ')}`) : undefined,
      about,
      next,
    );
    next.focus();
    try {
      const { game, ply, fen } = task;
      const kept = await post('training', { ...this.#who(), game, ply, fen, grade }, this.#where());
      about.textContent = `It comes back ${inDays(kept.days)}.`;
    } catch (error) {
      notice(`The attempt was not kept: ${error instanceof Error ? error.message : error}`, 'fault');
    }
  }

  #who() {
    return { learner: this.#asked().learner };
  }

  #where() {
    return { collection: this.#collection.value };
  }

  #finish(): void {
    this.#choice.open = true;
    const words = this.#tasks.length
      ? `${this.#solved} of ${this.#tasks.length} solved.`
      : 'Nothing fits. Choose another theme or rating.';
    fill(this.#body, emptyState(words), this.#lesson());
    void this.#summary();
  }

  /** What is due, and progress by motif. */
  async #rest(): Promise<void> {
    if (!this.#collection.value) return;
    this.#choice.open = true;
    fill(this.#body);
    await this.#summary(this.#lesson());
  }

  /** Adds what is due and progress by motif, unless the learner has gone on meanwhile. */
  async #summary(...more: HTMLElement[]): Promise<void> {
    try {
      const state = await this.#asker.ask('training/progress', { ...this.#asked(), count: 20 });
      if (state) this.#body.append(summary(state), ...more);
    } catch (error) {
      this.#body.append(faultState(error, () => void this.#rest()));
    }
  }

  #add(task: TrainingTask): void {
    const ply = task.uci.length ? task.ply : task.ply + 1;
    const place = `${task.game}.${ply}`;
    if (!this.#set.some((it) => it.place === place)) this.#set = [...this.#set, { place, name: task.name }];
    this.#showSet();
  }

  #reorder(from: number, change: number): void {
    const set = [...this.#set];
    const [taken] = set.splice(from, 1);
    if (taken && change) set.splice(from + change, 0, taken);
    this.#set = set;
    this.#showSet();
  }

  #showSet(): void {
    this.#keep();
    this.element.querySelector('.lesson')?.replaceWith(this.#lesson());
  }

  /** The set for a lesson, with its order and its files. */
  #lesson(): HTMLElement {
    if (!this.#set.length) return h('div', { class: 'lesson' });
    const rows = this.#set.map((it, index) =>
      h(
        'li',
        {},
        h('span', {}, it.name),
        index > 0 && tool('back', `Move ${it.name} up`, '', () => this.#reorder(index, -1)),
        index + 1 < this.#set.length &&
          tool('forward', `Move ${it.name} down`, '', () => this.#reorder(index, 1)),
        tool('trash', `Remove ${it.name} from the set`, '', () => this.#reorder(index, 0)),
      ),
    );
    const exercises = this.#set.map((it) => it.place).join(',');
    const links = FORMATS.map(([format, words]) =>
      h('a', { href: address('training/set', { ...this.#where(), exercises, format }), download: '' }, words),
    );
    return h(
      'section',
      { class: 'lesson', 'aria-label': 'Set for a lesson' },
      h('h3', {}, 'Set for a lesson'),
      h('ol', {}, ...rows),
      h('p', { class: 'setup-row' }, 'Save as ', ...links),
    );
  }
}

/** What is due, and what was learned. */
function summary(state: TrainingState): HTMLElement {
  if (!state.known.length && !state.progress.length)
    return emptyState(
      'Nothing tried yet',
      'Press Train. What you try comes back when you would begin to forget it.',
    );
  const row = (cells: (string | number)[]) =>
    h('tr', {}, ...cells.map((it, index) => h(index ? 'td' : 'th', index ? {} : { scope: 'row' }, it)));
  const table = (head: string[], rows: HTMLElement[]) =>
    h(
      'table',
      { class: 'balance' },
      h('thead', {}, h('tr', {}, ...head.map((it) => h('th', { scope: 'col' }, it)))),
      h('tbody', {}, ...rows),
    );
  return h(
    'div',
    { class: 'training-state' },
    h('h3', {}, state.due === 1 ? '1 exercise is due' : `${state.due} exercises are due`),
    table(
      ['Exercise', 'attempts', 'failed', 'due'],
      state.known.map((it) => row([it.name, it.attempts, it.failures, inDays(-it.overdue_days)])),
    ),
    h('h3', {}, 'Progress by motif'),
    table(
      ['Motif', 'exercises', 'attempts', 'failed', 'remembered'],
      state.progress.map((it) => row([it.motif, it.exercises, it.attempts, it.failures, percent(it.recall)])),
    ),
  );
}

/** When something comes back. */
export function inDays(days: number): string {
  if (days <= 0) return 'now';
  if (days < 1) return 'today';
  const whole = Math.round(days);
  return whole === 1 ? 'in a day' : `in ${whole} days`;
}

function stored(): string {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}
