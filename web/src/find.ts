// Patterns: what the reader drew or wrote, how many games have it, and the games themselves.

import { quotation } from './annotation';
import { Asker, Rejection, type FindAnswer, type PatternMatch } from './api';
import { fill, grouped, h, percent } from './dom';
import { bar } from './explorer';
import { emptyState, faultState, tidy } from './notice';
import { PatternBoard } from './pattern';
import { Picture } from './picture';
import { gameParameters, openedAt, type Opened, type Settings } from './place';
import { moveNumber, occasion, players, result } from './words';

const PAGE = 24;

/** What the view needs of the place. */
export interface Sought {
  readonly query: string;
  readonly fen: string;
  readonly orientation: 'white' | 'black';
  readonly settings: Settings;
}

export class FindView {
  readonly element: HTMLElement;
  readonly #board: PatternBoard;
  readonly #order: HTMLSelectElement;
  readonly #summary = h('div', { class: 'summary', role: 'status' });
  readonly #fault = h('p', { class: 'fault', role: 'alert' });
  readonly #named = h('p', { class: 'named', hidden: true });
  readonly #moves = h('div', { class: 'found-moves' });
  readonly #list = h('ol', { class: 'cards', 'aria-label': 'Matches' });
  readonly #more: HTMLButtonElement;
  readonly #asker = new Asker();
  readonly #namer = new Asker();
  #sought: Sought | undefined;
  #shown = 0;

  constructor(
    readonly onChange: (query: string) => void,
    readonly open: (opened: Opened) => void,
  ) {
    this.#board = new PatternBoard((query) => this.onChange(query));
    const again = () => void (this.#sought && this.ask(this.#sought));
    this.#order = h(
      'select',
      { name: 'find-order', onchange: again },
      ...[
        ['', 'as they come'],
        ['likeness', 'most like the board'],
        ['date', 'newest first'],
        ['rating', 'highest rated first'],
      ].map(([value, words]) => h('option', { value }, words)),
    );
    const more = () => void this.#load();
    this.#more = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: more }, 'More games');
    this.element = h(
      'div',
      { class: 'find' },
      this.#board.element,
      this.#fault,
      this.#named,
      h('div', { class: 'find-head' }, this.#summary, h('label', {}, 'Order ', this.#order)),
      this.#moves,
      this.#list,
      this.#more,
    );
  }

  async ask(sought: Sought): Promise<void> {
    this.#sought = sought;
    this.#board.show(sought.query);
    void this.#name(sought.fen);
    this.#fault.textContent = '';
    this.#shown = 0;
    if (!sought.query.trim()) {
      this.#asker.cancel();
      this.element.removeAttribute('aria-busy');
      this.#more.hidden = true;
      fill(this.#summary);
      fill(this.#moves);
      const words =
        'Choose a piece and click squares: several pieces on one square mean this or that one. Or write a query; names such as @iqp are queries too.';
      return fill(
        this.#list,
        h('li', { class: 'whole' }, emptyState('What should the position have?', words)),
      );
    }
    await this.#load();
  }

  /** The named patterns that the position on the board has. */
  async #name(fen: string): Promise<void> {
    const answer = await this.#namer.ask('structures', { fen }).catch(() => null);
    if (answer === undefined) return;
    const structures = answer?.structures ?? [];
    this.#named.hidden = structures.length === 0;
    const buttons = structures.map((it) =>
      h(
        'button',
        { type: 'button', class: 'source', title: it.about, onclick: () => this.onChange(`@${it.name}`) },
        `@${it.name}`,
      ),
    );
    fill(
      this.#named,
      'The position on the board has ',
      ...buttons.flatMap((it, at) => (at ? [', ', it] : [it])),
      '.',
    );
  }

  async #load(): Promise<void> {
    const sought = this.#sought;
    if (!sought) return;
    this.element.setAttribute('aria-busy', 'true');
    try {
      const sort = this.#order.value as 'likeness' | 'date' | 'rating' | '';
      const answer = await this.#asker.ask('find', {
        query: sought.query,
        top: PAGE,
        after: this.#shown,
        ...gameParameters(sought.settings),
        ...(sort ? { sort } : {}),
        ...(sort === 'likeness' ? { like: sought.fen } : {}),
      });
      if (!answer) return;
      this.#show(answer, sought);
      this.element.dataset['query'] = sought.query;
    } catch (error) {
      this.#fail(error);
    }
    this.element.removeAttribute('aria-busy');
  }

  #fail(error: unknown): void {
    this.#more.hidden = true;
    fill(this.#summary);
    fill(this.#moves);
    const blamed = error instanceof Rejection ? /^query: (.*)/s.exec(error.message)?.[1] : undefined;
    if (blamed === undefined)
      return fill(
        this.#list,
        h(
          'li',
          { class: 'whole' },
          faultState(error, () => void this.#load()),
        ),
      );
    this.#fault.textContent = tidy(blamed);
    fill(this.#list);
  }

  #show(answer: FindAnswer & { took_ms: number }, sought: Sought): void {
    const { games, positions, results } = answer;
    const words = `${grouped(games)} games, ${grouped(positions)} positions in ${Math.max(1, Math.round(answer.took_ms))} ms`;
    fill(this.#summary, h('strong', {}, words), games > 0 && bar(results));
    fill(this.#moves, answer.moves.length > 0 && 'Played next: ', ...answer.moves.slice(0, 8).map(next));
    if (this.#shown === 0) fill(this.#list);
    if (games === 0) {
      const hint = 'Take a condition away, or allow either color and either side.';
      fill(this.#list, h('li', { class: 'whole' }, emptyState('No game has this', hint)));
    }
    this.#list.append(...answer.matches.map((it) => this.#card(it, sought)));
    this.#shown += answer.matches.length;
    this.#more.hidden = this.#shown >= games || answer.matches.length === 0;
  }

  #card(match: PatternMatch, { orientation }: Sought): HTMLElement {
    const label = `Match ${match.rank}: ${match.fen.split(' ')[0]}`;
    const picture = new Picture(match.fen, orientation, label);
    const open = () => this.open(openedAt(match));
    picture.element.addEventListener('click', open);
    const times = match.plies.length > 1 && `${grouped(match.plies.length)} positions`;
    const similarity = typeof match.similarity === 'number' && percent(match.similarity);
    const facts = [similarity, times].filter(Boolean).join(' · ');
    return h(
      'li',
      { class: 'card' },
      picture.element,
      h(
        'div',
        { class: 'card-body' },
        h(
          'h3',
          {},
          h('button', { type: 'button', class: 'open', onclick: open }, players(match.game)),
          ' ',
          h('span', { class: 'result' }, result(match.game)),
        ),
        h('p', { class: 'occasion' }, occasion(match.game)),
        h(
          'p',
          { class: 'next' },
          `${moveNumber(match.fen)} ${match.next.join(' ') || 'the game ended here'}`,
        ),
        facts && h('p', { class: 'faint' }, facts),
        quotation([...match.remarks, ...match.comments], 'What the annotator said here'),
      ),
    );
  }
}

const next = ({ side, san, games }: FindAnswer['moves'][number]): HTMLElement =>
  h('span', { class: 'badge' }, `${side === 'black' ? '…' : ''}${san} ${grouped(games)}`);
