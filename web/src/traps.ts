// Nearby traps, with bait and refutation to play through.

import { Asker, type Trap, type Traps } from './api';
import { fill, h, percent } from './dom';
import { positionAt, readMove, type Line } from './line';
import { emptyState, faultState } from './notice';

export class TrapList {
  readonly element = h('div', { class: 'traps' });
  readonly #asker = new Asker();

  /** `play` adds moves to the line and shows the position after the first `shown` of them. */
  constructor(readonly play: (moves: string[], shown: number) => void) {}

  async ask(line: Line, at: number, fen: string): Promise<void> {
    this.element.setAttribute('aria-busy', 'true');
    try {
      const found = await this.#asker.ask('traps', { fen, top: 6 });
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
        emptyState('No traps nearby', 'No trap in the library resembles this position.'),
      );
    const groups = byLine(found.traps);
    const proved = groups.filter(([it]) => it?.verified).length;
    const words = proved
      ? `${proved === 1 ? 'A trap works' : `${proved} traps work`} here, proved by search.`
      : 'None of the nearest traps works here. They only resemble this position.';
    const items = groups.map((it) => this.#item(it, line, at));
    fill(
      this.element,
      h('p', { class: found.warning ? 'summary warning' : 'summary', role: 'status' }, words),
      h('ol', { class: 'trap-list' }, ...items),
    );
  }

  /** A trap, with the names of others that have the same line here. */
  #item([trap, ...others]: Group, line: Line, at: number): HTMLElement {
    const name = title(trap);
    const also = others.filter((it) => it.trap).map((it) => it.trap);
    const swapped = trap.symmetry === 'swap' && h('span', { class: 'badge' }, 'colors swapped');
    const verdict = trap.verified
      ? h('span', { class: 'badge warn' }, prize(trap))
      : h('span', { class: 'badge' }, 'similar only');
    return h(
      'li',
      { class: trap.verified ? 'trap proved' : 'trap' },
      h('h3', {}, name),
      h(
        'p',
        { class: 'card-head' },
        verdict,
        swapped,
        h('span', { class: 'faint' }, `similarity: play ${percent(trap.play)}, looks ${percent(trap.looks)}`),
      ),
      trap.verified ? this.#line(trap, line, at) : h('p', { class: 'faint' }, resemblance(trap)),
      also.length > 0 && h('p', { class: 'faint' }, `The same line as in: ${also.join('; ')}.`),
    );
  }

  /** The bait and its refutation, each move a button. */
  #line(trap: Trap, line: Line, at: number): HTMLElement {
    const names = [trap.bait, ...trap.refutation].filter((it): it is string => typeof it === 'string');
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
    const better = trap.better && h('span', { class: 'faint' }, `Better: ${trap.better}`);
    return h('p', { class: 'trap-line' }, h('span', { class: 'faint' }, 'Bait: '), ...buttons, better);
  }
}

/** Traps with the same line, the nearest first. */
type Group = [Trap, ...Trap[]];

/** Traps that work by the same moves here are one trap with several names. */
export function byLine(traps: readonly Trap[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, trap] of traps.entries()) {
    const key = trap.verified ? [trap.bait, ...trap.refutation].join(' ') : String(index);
    const group = groups.get(key);
    if (group) group.push(trap);
    else groups.set(key, [trap]);
  }
  // The trap whose own move it is gives the name.
  const own = (it: Trap) => (it.own_move ? 0 : 1);
  return [...groups.values()].map((it) => it.sort((one, two) => own(one) - own(two)) as Group);
}

/** The trap's name belongs to the trap's own move. Another move that loses is just a mistake. */
function title(trap: Trap): string {
  const name = trap.trap ?? `game ${trap.game}, ply ${trap.ply}`;
  if (!trap.verified) return `Like ${name}`;
  return trap.own_move ? name.charAt(0).toUpperCase() + name.slice(1) : `${trap.bait} is a mistake`;
}

function prize(trap: Trap): string {
  if (trap.mate_in) return `loses to mate in ${trap.mate_in}`;
  return `loses ${((trap.gain ?? 0) / 100).toFixed(1)} pawns`;
}

function resemblance(trap: Trap): string {
  return trap.bait
    ? `${trap.bait} matches ${trap.trap_bait} in the trap, but search found no loss.`
    : `No move here matches ${trap.trap_bait} in the trap.`;
}
