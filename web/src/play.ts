// Playing against the engine from any position.

import { Asker, type Memory, type Reply } from './api';
import { fill, h, percent } from './dom';
import { positionAt } from './line';
import { faultState } from './notice';
import { TIMES, type Place, type Time } from './place';
import { spot } from './turns';
import { ending, outlook, players, result, year } from './words';

/** The number of remembered moves to show. */
const REMEMBERED = 6;

const TIME_NAMES: Record<Time, string> = { 300: '0.3 seconds', 1000: '1 second', 3000: '3 seconds' };

export class PlayView {
  readonly element = h('div', { class: 'play' });
  readonly #said = h('div', { class: 'play-said', role: 'status' });
  readonly #time: HTMLSelectElement;
  readonly #asker = new Asker();
  /** The spot at which the engine should move. */
  #due: string | undefined;
  /** The spot after the engine's move, while the page reports that move. */
  #reported: string | undefined;

  constructor(
    readonly play: (uci: string) => void,
    readonly takeBack: () => void,
    readonly swap: () => void,
    readonly setTime: (time: Time) => void,
    readonly open: (id: number, ply: number) => void,
  ) {
    this.#time = h(
      'select',
      { name: 'time', onchange: () => this.setTime(Number(this.#time.value) as Time) },
      ...TIMES.map((it) => h('option', { value: it }, TIME_NAMES[it])),
    );
  }

  /**
   * Notes a place before the request for it goes out: the reply to an earlier request must not be
   * played here.
   */
  see(place: Place, due: boolean): void {
    this.#time.value = String(place.time);
    const here = place.view === 'play' ? spot(place.line, place.at) : undefined;
    if (!due && here === this.#due) return;
    this.#asker.cancel();
    this.#due = due ? here : undefined;
  }

  /** Shows the game; if it is the engine's turn and its move is due, asks for it. */
  async ask(place: Place): Promise<void> {
    const { line, at, engine } = place;
    this.#asker.cancel();
    this.#frame();
    const here = spot(line, at);
    const position = positionAt(line, at);
    const outcome = position.outcome();
    if (outcome) return this.#say(h('p', { class: 'verdict' }, ending(outcome.winner)));
    if (position.turn !== engine) {
      // The report of the engine's last move stays.
      if (this.#reported !== here) this.#say(h('p', { class: 'faint' }, 'Your move.'));
      return;
    }
    if (this.#due !== here) return this.#say(this.#offer(place));
    this.#say(h('p', { class: 'faint' }, 'The engine is thinking…'));
    try {
      const moves = line.moves.slice(0, at);
      const reply = await this.#asker.ask('play', {
        fen: line.fen,
        moves: moves.join(','),
        movetime: Number(this.#time.value),
      });
      if (!reply?.uci) return;
      this.#due = undefined;
      this.#report(spot({ fen: line.fen, moves: [...moves, reply.uci] }, at + 1), reply);
      this.play(reply.uci);
    } catch (error) {
      this.#say(faultState(error, () => void this.ask(place)));
    }
  }

  #say(...words: HTMLElement[]): void {
    this.#reported = undefined;
    fill(this.#said, ...words);
  }

  /** A reader that steps to the engine's turn may only want to look. */
  #offer(place: Place): HTMLElement {
    const move = () => {
      this.#due = spot(place.line, place.at);
      void this.ask(place);
    };
    return h(
      'p',
      { class: 'setup-row' },
      'It is the engine’s turn.',
      h('button', { type: 'button', class: 'quiet', onclick: move }, 'Let it move'),
    );
  }

  #frame(): void {
    if (this.element.firstChild) return;
    const side = h('button', { type: 'button', class: 'quiet', onclick: () => this.swap() }, 'Swap sides');
    const back = h('button', { type: 'button', class: 'quiet', onclick: () => this.takeBack() }, 'Take back');
    fill(
      this.element,
      h('p', { class: 'verdict' }, 'Play from this position'),
      h(
        'p',
        { class: 'faint' },
        'Make a move on the board, or type it. The engine replies with the help of cases from the collection.',
      ),
      h('div', { class: 'setup-row' }, h('label', {}, 'Thinking time ', this.#time), side, back),
      this.#said,
    );
  }

  #report(after: string, reply: Reply): void {
    this.#say(
      h('p', {}, 'The engine played ', h('strong', {}, reply.san ?? ''), `; ${outlook(reply)}.`),
      h('p', { class: 'faint' }, `Principal variation: ${reply.line.join(' ')}`),
      this.#behind(reply.memory),
    );
    this.#reported = after;
  }

  #behind(memory: Memory): HTMLElement {
    if (memory.remembered.length === 0)
      return h(
        'p',
        { class: 'faint' },
        'The collection has no similar case; the move comes from search alone.',
      );
    const rows = memory.remembered
      .slice(0, REMEMBERED)
      .map((it) =>
        h(
          'tr',
          {},
          h('td', {}, it.san),
          h('td', {}, percent(it.support)),
          h('td', {}, it.cases || '–'),
          h('td', {}, it.games || '–'),
        ),
      );
    const heads = ['Move', 'Support', 'Cases', 'Same position'];
    return h(
      'section',
      {},
      h('h3', {}, 'Remembered moves'),
      memory.because && h('p', { class: 'play-because' }, memory.because),
      h(
        'table',
        { class: 'play-memory' },
        h('thead', {}, h('tr', {}, ...heads.map((it) => h('th', { scope: 'col' }, it)))),
        h('tbody', {}, ...rows),
      ),
      memory.games.length > 0 && h('h3', {}, 'Games that support the move'),
      memory.games.length > 0 &&
        h('ul', { class: 'play-games' }, ...memory.games.map((it) => this.#game(it))),
    );
  }

  #game({ game, ply }: Memory['games'][number]): HTMLElement {
    const words = [players(game), year(game), result(game)].filter(Boolean).join(', ');
    const open = () => this.open(game.id, ply);
    return h('li', {}, h('button', { type: 'button', class: 'quiet', onclick: open }, words));
  }
}
