// Playing against the engine from any position.

import { Asker, type Game } from './api';
import { fill, h, percent } from './dom';
import { positionAt } from './line';
import { faultState } from './notice';
import { TIMES, type Place, type Time } from './place';
import { spot } from './turns';
import { ending, outlook, players, result } from './words';

interface Reply {
  uci: string | null;
  san: string | null;
  score: number;
  mate_in: number | null;
  line: string[];
  nodes: number;
  memory: Memory;
}

/** The cases behind the move. */
interface Memory {
  overruled: boolean;
  cases: number;
  because: string | null;
  remembered: { uci: string; san: string; support: number; cases: number; games: number }[];
  games: { ply: number; game: Game }[];
}

/** How many remembered moves are shown. */
const REMEMBERED = 6;

const TIME_WORDS: Record<Time, string> = { 300: 'a moment', 1000: 'a second', 3000: 'three seconds' };

export class PlayView {
  readonly element = h('div', { class: 'play' });
  readonly #said = h('div', { class: 'play-said', role: 'status' });
  readonly #time: HTMLSelectElement;
  readonly #asker = new Asker();
  /** The spot at which the engine should move. */
  #due: string | undefined;
  /** The spot after the engine's move that the words tell of, if they do. */
  #told: string | undefined;

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
      ...TIMES.map((it) => h('option', { value: it }, TIME_WORDS[it])),
    );
  }

  /**
   * Takes note of a place at once, before there is time to ask: a move that was thought out for another
   * one must not be played here.
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
      // What was told of the engine's last move stays.
      if (this.#told !== here) this.#say(h('p', { class: 'faint' }, 'Your move.'));
      return;
    }
    if (this.#due !== here) return this.#say(this.#offer(place));
    this.#say(h('p', { class: 'faint' }, 'The engine thinks…'));
    try {
      const moves = line.moves.slice(0, at);
      const reply = await this.#asker.ask<Reply>('play', {
        fen: line.fen,
        moves: moves.join(','),
        movetime: this.#time.value,
      });
      if (!reply?.uci) return;
      this.#due = undefined;
      this.#tell(spot({ fen: line.fen, moves: [...moves, reply.uci] }, at + 1), reply);
      this.play(reply.uci);
    } catch (error) {
      this.#say(faultState(error, () => void this.ask(place)));
    }
  }

  #say(...words: HTMLElement[]): void {
    this.#told = undefined;
    fill(this.#said, ...words);
  }

  /** Who walked to a place where the engine is to move may only want to look. */
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
      h('p', { class: 'verdict' }, 'Play on from here'),
      h(
        'p',
        { class: 'faint' },
        'Make a move on the board, or type it; the engine replies by search and by cases of the collection.',
      ),
      h('div', { class: 'setup-row' }, h('label', {}, 'It thinks ', this.#time), side, back),
      this.#said,
    );
  }

  #tell(after: string, reply: Reply): void {
    this.#say(
      h('p', {}, 'It played ', h('strong', {}, reply.san ?? ''), `, ${outlook(reply)}.`),
      h('p', { class: 'faint' }, `It expects ${reply.line.join(' ')}`),
      this.#behind(reply.memory),
    );
    this.#told = after;
  }

  #behind(memory: Memory): HTMLElement {
    if (memory.remembered.length === 0)
      return h('p', { class: 'faint' }, 'No case in the collection is alike; the move is its own.');
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
      h('h3', {}, 'What it remembers'),
      memory.because && h('p', { class: 'play-because' }, memory.because),
      h(
        'table',
        { class: 'play-memory' },
        h('thead', {}, h('tr', {}, ...heads.map((it) => h('th', { scope: 'col' }, it)))),
        h('tbody', {}, ...rows),
      ),
      memory.games.length > 0 && h('h3', {}, 'Games behind the move'),
      memory.games.length > 0 &&
        h('ul', { class: 'play-games' }, ...memory.games.map((it) => this.#game(it))),
    );
  }

  #game({ game, ply }: Memory['games'][number]): HTMLElement {
    const words = `${players(game)}, ${game.date.slice(0, 4)}, ${result(game)}`;
    const open = () => this.open(game.id, ply);
    return h('li', {}, h('button', { type: 'button', class: 'quiet', onclick: open }, words));
  }
}
