// Two positions side by side: measures as bars, matching moves as arrows.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color, Key } from '@lichess-org/chessground/types';

import { Asker, type Comparison, type Match } from './api';
import { PAIRS } from './board';
import { fill, h, percent } from './dom';
import { swapColors } from './line';
import { emptyState, faultState } from './notice';
import { Picture } from './picture';

const MEASURES: [string, string, string][] = [
  ['encoding', 'Shared terms', 'Looks'],
  ['correlation', 'Shared squares', 'Looks'],
  ['continuations_1', 'Continuations, 1 ply', 'Play'],
  ['continuations_2', 'Continuations, 2 plies', 'Play'],
  ['sequences_2', 'Sequences, 2 plies', 'Play'],
  ['tree_edit_ordered_2', 'Tree edit, ordered', 'Play'],
  ['tree_edit_unordered_2', 'Tree edit, unordered', 'Play'],
  ['structural', 'Structure', 'Play'],
  ['freedom', 'Freedom', 'Play'],
];

export class CompareView {
  readonly element = h('div', { class: 'compare' });
  readonly #asker = new Asker();

  constructor(readonly onPaste: (text: string) => void) {}

  async ask(fen: string, other: string | undefined, orientation: Color): Promise<void> {
    if (!other) return this.#invite();
    this.element.setAttribute('aria-busy', 'true');
    try {
      const comparison = await this.#asker.ask('compare', { fen, other });
      if (comparison) this.#show(comparison as Comparison, fen, other, orientation);
    } catch (error) {
      fill(
        this.element,
        this.#field(other),
        faultState(error, () => void this.ask(fen, other, orientation)),
      );
    } finally {
      this.element.removeAttribute('aria-busy');
    }
  }

  #invite(): void {
    const words =
      'Enter the FEN of a second position, or use the compare button on the card of a similar position.';
    fill(this.element, this.#field(), emptyState('Do two positions play alike?', words));
  }

  #field(other = ''): HTMLElement {
    const input = h('input', {
      name: 'other',
      value: other,
      placeholder: 'FEN of the second position',
      'aria-label': 'FEN of the second position',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      this.onPaste(input.value);
    };
    return h('form', { class: 'field', onsubmit: submit }, input, h('button', { class: 'quiet' }, 'Compare'));
  }

  #show(comparison: Comparison, fen: string, other: string, orientation: Color): void {
    const swapped = swappedIfMoreAlike(comparison);
    const shown = swapped ?? comparison;
    const second = swapped ? swapColors(other) : other;
    const pictures = [
      new Picture(fen, orientation, 'The first position'),
      new Picture(second, orientation, 'The second position'),
    ] as const;
    const draw = (matches: Match[]) => {
      pictures[0].draw(arrows(matches, shown.matches, 0));
      pictures[1].draw(arrows(matches, shown.matches, 1));
    };
    const strongest = shown.matches.slice(0, PAIRS);
    const caption = swapped ? 'The other position, colors swapped' : 'The other position';
    const boards = h(
      'div',
      { class: 'pair' },
      h('figure', {}, pictures[0].element, h('figcaption', {}, 'This position')),
      h('figure', {}, pictures[1].element, h('figcaption', {}, caption)),
    );
    fill(
      this.element,
      this.#field(other),
      h('p', { class: 'verdict', role: 'status' }, `The second position ${shown.verdict}.`),
      boards,
      measures(shown),
      matches(shown, draw, strongest),
    );
    draw(strongest);
  }
}

/**
 * The comparison with the second position's colors swapped, if that makes the two more alike. A hit with
 * swapped colors is already turned, so the sides to move alone do not decide.
 */
export const swappedIfMoreAlike = (comparison: Comparison): Comparison | undefined =>
  comparison.swapped && comparison.swapped.encoding > comparison.encoding ? comparison.swapped : undefined;

/** Arrows for one of the boards, each pair in its color. */
function arrows(shown: Match[], all: Match[], side: 0 | 1): DrawShape[] {
  return shown.map((it) => {
    const [orig, dest] = it.paths[side] ?? [];
    return { orig: orig as Key, dest: dest as Key, brush: `pair${all.indexOf(it) % PAIRS}` };
  });
}

function measures(comparison: Comparison): HTMLElement {
  const groups = [...new Set(MEASURES.map((it) => it[2]))].map((group) => {
    const rows = MEASURES.filter((it) => it[2] === group).map(([name, label]) => {
      const value = comparison[name];
      const known = typeof value === 'number';
      const meter = known
        ? h('meter', { min: 0, max: 1, value: value.toFixed(3), 'aria-label': label })
        : h('span', { class: 'faint' }, 'trees too large');
      return h(
        'div',
        { class: 'measure' },
        h('span', {}, label),
        meter,
        h('span', { class: 'value' }, known ? percent(value) : ''),
      );
    });
    return h('div', {}, h('h3', {}, group), ...rows);
  });
  return h('div', { class: 'measures' }, ...groups);
}

/** The matching moves; pointing at a pair draws it alone. */
function matches(
  comparison: Comparison,
  draw: (matches: Match[]) => void,
  strongest: Match[],
): HTMLElement | undefined {
  if (comparison.matches.length === 0) return undefined;
  const rows = comparison.matches.slice(0, 10).map((it, index) => {
    const enter = () => draw([it]);
    const leave = () => draw(strongest);
    const words = `${it.a} ↔ ${it.b}`;
    const button = h(
      'button',
      {
        type: 'button',
        class: `match pair${index % PAIRS}`,
        onmouseenter: enter,
        onfocus: enter,
        onclick: enter,
        onmouseleave: leave,
        onblur: leave,
      },
      words,
    );
    const effects = it.effects[0] === it.effects[1] ? it.effects[0] : it.effects.join(', ');
    return h('li', {}, button, h('span', { class: 'faint' }, effects));
  });
  return h('div', {}, h('h3', {}, 'Matching moves'), h('ol', { class: 'matches' }, ...rows));
}
