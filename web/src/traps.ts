// Traps nearby, with bait and refutation to be played through.

import { Asker, type Trap, type Traps } from './api';
import { fill, h, percent } from './dom';
import { positionAt, readMove, type Line } from './line';
import { emptyState, faultState } from './notice';

export class TrapList {
  readonly element = h('div', { class: 'traps' });
  readonly #asker = new Asker();

  /** `play` shows a line from here on, so many moves of it played. */
  constructor(readonly play: (moves: string[], shown: number) => void) {}

  async ask(line: Line, at: number, fen: string): Promise<void> {
    this.element.setAttribute('aria-busy', 'true');
    try {
      const found = await this.#asker.ask<Traps>('traps', { fen, top: 6 });
      if (found) this.#show(found, line, at);
    } catch (error) {
      fill(
        this.element,
        faultState(error, () => void this.ask(line, at, fen)),
      );
    } finally {
      this.element.removeAttribute('aria-busy');
    }
  }

  #show(found: Traps, line: Line, at: number): void {
    if (found.traps.length === 0)
      return fill(
        this.element,
        emptyState('No trap is near', 'Nothing in the library resembles this position.'),
      );
    const proved = found.traps.filter((it) => it.verified).length;
    const words = proved
      ? `${proved} of the nearest traps work here, proved by search.`
      : 'None of the nearest traps works here. They only resemble this position.';
    const items = found.traps.map((it) => this.#item(it, line, at));
    fill(
      this.element,
      h('p', { class: found.warning ? 'summary warning' : 'summary', role: 'status' }, words),
      h('ol', { class: 'trap-list' }, ...items),
    );
  }

  #item(trap: Trap, line: Line, at: number): HTMLElement {
    const name = trap.trap ?? `Game ${trap.game}, after ${trap.ply} half-moves`;
    const swapped = trap.symmetry === 'swap' && h('span', { class: 'badge' }, 'colors swapped');
    const verdict = trap.verified
      ? h('span', { class: 'badge warn' }, prize(trap))
      : h('span', { class: 'badge' }, 'resembles only');
    return h(
      'li',
      { class: trap.verified ? 'trap proved' : 'trap' },
      h('h3', {}, name),
      h(
        'p',
        { class: 'card-head' },
        verdict,
        swapped,
        h(
          'span',
          { class: 'faint' },
          `plays ${percent(trap.play)} alike, looks ${percent(trap.looks)} alike`,
        ),
      ),
      trap.verified ? this.#line(trap, line, at) : h('p', { class: 'faint' }, resemblance(trap)),
    );
  }

  /** The bait and what refutes it, each move a button. */
  #line(trap: Trap, line: Line, at: number): HTMLElement {
    const names = [trap.bait, ...trap.refutation].filter((it): it is string => it !== null);
    const moves: string[] = [];
    const position = positionAt(line, at).clone();
    let here = { fen: line.fen, moves: line.moves.slice(0, at) };
    let now = position;
    for (const name of names) {
      const uci = readMove(now, name);
      if (!uci) break;
      moves.push(uci);
      here = { fen: here.fen, moves: [...here.moves, uci] };
      now = positionAt(here, here.moves.length);
    }
    const buttons = moves.map((_, index) =>
      h(
        'button',
        {
          type: 'button',
          class: index === 0 ? 'move bait' : 'move',
          onclick: () => this.play(moves, index + 1),
        },
        names[index],
      ),
    );
    const better = trap.better && h('span', { class: 'faint' }, `Better is ${trap.better}.`);
    return h('p', { class: 'trap-line' }, h('span', { class: 'faint' }, 'The bait '), ...buttons, better);
  }
}

function prize(trap: Trap): string {
  if (trap.mate_in) return `loses by mate in ${trap.mate_in}`;
  return `loses ${((trap.gain ?? 0) / 100).toFixed(1)} pawns`;
}

function resemblance(trap: Trap): string {
  return trap.bait
    ? `${trap.bait} stands where ${trap.trap_bait} stands there, but no loss was found.`
    : `Nothing here stands where ${trap.trap_bait} stands there.`;
}
