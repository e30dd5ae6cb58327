// Playing against the engine from any position.

import { Asker, type Game } from './api';
import { fill, h, percent } from './dom';
import { positionAt, type Line } from './line';
import { faultState } from './notice';
import { outlook, players, result } from './words';

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

const TIMES: [number, string][] = [
  [200, 'a moment'],
  [1000, 'a second'],
  [3000, 'three seconds'],
];

export class PlayView {
  readonly element = h('div', { class: 'play' });
  readonly #said = h('div', { class: 'play-said', role: 'status' });
  readonly #time: HTMLSelectElement;
  readonly #asker = new Asker();
  /** The side that the engine plays. */
  #side: 'white' | 'black' | undefined;

  constructor(
    readonly play: (uci: string) => void,
    readonly takeBack: () => void,
    readonly again: () => void,
    readonly open: (id: number, ply: number) => void,
  ) {
    this.#time = h(
      'select',
      { name: 'time' },
      ...TIMES.map(([ms, words]) => h('option', { value: ms }, words)),
    );
    this.#time.value = '1000';
  }

  /** Shows the game; if it is the engine's turn, asks for its move. */
  async ask(line: Line, at: number): Promise<void> {
    const position = positionAt(line, at);
    this.#side ??= position.turn === 'white' ? 'black' : 'white';
    this.#frame();
    const outcome = position.outcome();
    if (outcome)
      return fill(
        this.#said,
        h(
          'p',
          { class: 'verdict' },
          outcome.winner ? `${outcome.winner === 'white' ? 'White' : 'Black'} has won.` : 'A draw.',
        ),
      );
    if (position.turn !== this.#side) return this.#asker.cancel();
    fill(this.#said, h('p', { class: 'faint' }, 'The engine thinks…'));
    try {
      const moves = line.moves.slice(0, at).join(',');
      const reply = await this.#asker.ask<Reply>('play', {
        fen: line.fen,
        moves,
        movetime: this.#time.value,
      });
      if (!reply?.uci) return;
      this.#tell(reply);
      this.play(reply.uci);
    } catch (error) {
      fill(
        this.#said,
        faultState(error, () => void this.ask(line, at)),
      );
    }
  }

  leave(): void {
    this.#asker.cancel();
    this.#side = undefined;
  }

  #frame(): void {
    if (this.element.firstChild) return;
    const side = h('button', { type: 'button', class: 'quiet', onclick: () => this.#swap() }, 'Swap sides');
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

  #swap(): void {
    this.#side = this.#side === 'white' ? 'black' : 'white';
    this.again();
  }

  #tell(reply: Reply): void {
    fill(
      this.#said,
      h('p', {}, 'It played ', h('strong', {}, reply.san ?? ''), `, ${outlook(reply)}.`),
      h('p', { class: 'faint' }, `It expects ${reply.line.join(' ')}`),
      this.#behind(reply.memory),
    );
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
