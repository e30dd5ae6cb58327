// A hit as a card: a small board turned to the query's view, the players, the
// continuation, and the reasons for the similarity.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color } from '@lichess-org/chessground/types';

import { quotation } from './annotation';
import type { Hit, Shared } from './api';
import { Picture, type Tints } from './board';
import { h, icon, percent } from './dom';
import { differences, shapes, tints } from './reason';
import { SYMMETRY, moveNumber, occasion, players, result } from './words';

/** What a card needs from the page around it. */
export interface Around {
  fen: string;
  orientation: Color;
  /** Draws on the board of the query. */
  show(shapes: DrawShape[], tints: Tints): void;
  open(hit: Hit): void;
  compare(hit: Hit): void;
  /** The address of the game. */
  address(hit: Hit): string;
}

export function card(hit: Hit, around: Around): HTMLElement {
  const label = `Similar position ${hit.rank}: ${hit.turned_fen.split(' ')[0]}`;
  const picture = new Picture(hit.turned_fen, around.orientation, label);
  const plain = differences(hit.turned_fen, around.fen);
  picture.tint(plain);

  const rest = () => {
    picture.draw([]);
    picture.tint(plain);
    around.show([], new Map());
  };
  const whole = () => {
    picture.draw([]);
    picture.tint(tints(hit.turned_fen, around.fen));
    around.show([], tints(around.fen, hit.turned_fen));
  };
  const explain = (shared: Shared) => {
    picture.tint(new Map());
    picture.draw(shapes(shared, shared.there));
    around.show(shapes(shared, shared.here), new Map());
  };

  picture.element.addEventListener('mouseenter', whole);
  picture.element.addEventListener('mouseleave', rest);
  picture.element.addEventListener('click', () => around.open(hit));
  return h(
    'li',
    { class: 'card', 'data-rank': hit.rank },
    picture.element,
    h(
      'div',
      { class: 'card-body' },
      head(hit),
      title(hit, around, whole, rest),
      h('p', { class: 'occasion' }, occasion(hit.game)),
      h('p', { class: 'next' }, next(hit)),
      quotation(hit.comments, 'What the annotator said here'),
      reasons(hit, explain, rest),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'tool card-compare',
        title: 'Compare the positions',
        'aria-label': `Compare with position ${hit.rank}`,
        onclick: () => around.compare(hit),
      },
      icon('compare'),
    ),
  );
}

function head(hit: Hit): HTMLElement {
  const flag = hit.rerank?.flag;
  const badges = [
    SYMMETRY[hit.symmetry] && h('span', { class: 'badge' }, SYMMETRY[hit.symmetry]),
    hit.variation !== null && h('span', { class: 'badge' }, 'in a variation'),
    hit.rerank &&
      h(
        'span',
        { class: 'badge' },
        `play similarity ${percent(hit.rerank.similarity)}, was rank ${hit.rerank.first_rank}`,
      ),
    flag && h('span', { class: 'badge warn' }, flag),
  ];
  const meter = h('meter', { min: 0, max: 1, value: hit.similarity.toFixed(3), 'aria-label': 'Similarity' });
  return h('div', { class: 'card-head' }, h('strong', {}, percent(hit.similarity, 1)), meter, ...badges);
}

function title(hit: Hit, around: Around, enter: () => void, leave: () => void): HTMLElement {
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    around.open(hit);
  };
  return h(
    'h3',
    {},
    h('a', { href: around.address(hit), onclick: open, onfocus: enter, onblur: leave }, players(hit.game)),
    ' ',
    h('span', { class: 'result' }, result(hit.game)),
  );
}

function next(hit: Hit): string {
  const moves = hit.turned_next.length
    ? hit.turned_next.join(' ')
    : hit.variation === null
      ? 'the game ended here'
      : 'the variation ended here';
  return `${moveNumber(hit.turned_fen)} ${moves}`;
}

/** The order in which a player would name them: threats first, what is only rare last. */
const ORDER = ['attack', 'defence', 'reach', 'ray', 'place'];

/** Reasons in a player's order, the stronger first within a family. The board shows where pieces stand. */
export const inPlayersOrder = (shared: readonly Shared[]): Shared[] => {
  const rank = (it: Shared) => ORDER.indexOf(it.family);
  return [...shared].sort((one, two) => rank(one) - rank(two));
};

function reasons(hit: Hit, draw: (shared: Shared) => void, rest: () => void): HTMLElement {
  const chosen = inPlayersOrder(hit.shared).slice(0, REASONS);
  const chips = chosen.map((shared) => {
    const enter = () => draw(shared);
    const chip = h(
      'button',
      {
        type: 'button',
        class: `reason ${shared.family}`,
        onmouseenter: enter,
        onfocus: enter,
        onclick: enter,
        onmouseleave: rest,
        onblur: rest,
      },
      shared.words,
    );
    return h('li', {}, chip);
  });
  return h('ul', { class: 'reasons', 'aria-label': 'Why they are similar' }, ...chips);
}

const REASONS = 4;
