// A hit as a card: a small board turned to the query's view, the players, the
// continuation, and the reasons for the similarity.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color } from '@lichess-org/chessground/types';

import { quotation } from './annotation';
import type { Hit, Shared, SharedWord } from './api';
import type { Tints } from './board';
import { grouped, h, icon, percent } from './dom';
import { bar } from './explorer';
import { Picture } from './picture';
import { differences, rings, shapes, tints } from './reason';
import { SYMMETRY, moveNumber, occasion, players, result } from './words';

/** What a card needs from the page around it. */
export interface Around {
  fen: string;
  orientation: Color;
  /** Draws on the board of the query. */
  show(shapes: DrawShape[], tints: Tints): void;
  open(hit: Hit): void;
  compare(hit: Hit): void;
  /** Lists all games of the hit. */
  list(hit: Hit): void;
  /** Finds the games with a named structure. */
  find(structure: string): void;
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

  const say = (word: SharedWord) => {
    picture.tint(new Map());
    picture.draw(rings(word.there));
    around.show(rings(word.here), new Map());
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
      others(hit, around),
      h('p', { class: 'next' }, next(hit)),
      quotation(hit.comments, 'What the annotator said here'),
      alike(hit, around),
      reasons(hit, say, explain, rest),
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
  const meter = h('meter', {
    title: alikeIn(hit),
    min: 0,
    max: 1,
    value: hit.similarity.toFixed(3),
    'aria-label': 'Similarity',
  });
  return h(
    'div',
    { class: 'card-head' },
    h('strong', {}, percent(hit.similarity, hit.similarity < 1 ? 1 : 0)),
    meter,
    ...badges,
  );
}

/**
 * In what the positions are alike and in what they differ, compared with an ordinary hit: the `most` that
 * matters most.
 */
export function alikeIn({ contributions }: Pick<Hit, 'contributions'>, most = Infinity): string {
  const parts = Object.entries(contributions ?? {}).sort((one, two) => two[1] - one[1]);
  const names = (of: typeof parts) =>
    of
      .slice(0, most)
      .map(([name]) => name)
      .join(', ');
  const [alike, unlike] = [parts.filter((it) => it[1] > 0), parts.filter((it) => it[1] < 0).reverse()];
  const words = [alike.length && `alike in ${names(alike)}`, unlike.length && `less in ${names(unlike)}`];
  return words.filter(Boolean).join('; ');
}

/** In what the hit is alike, and its named structures. */
function alike(hit: Hit, around: Around): HTMLElement | false {
  const words = alikeIn(hit, 2);
  const structures = hit.structures.map((it) =>
    h(
      'button',
      {
        type: 'button',
        class: 'badge structure',
        title: 'Find all games with this structure',
        onclick: () => around.find(it),
      },
      structureName(it),
    ),
  );
  if (!words && structures.length === 0) return false;
  return h(
    'p',
    { class: 'likeness' },
    words && h('span', { title: alikeIn(hit) }, words.charAt(0).toUpperCase() + words.slice(1)),
    ...structures,
  );
}

/** The name of a structure as players write it. */
export const structureName = (name: string): string => (name === 'iqp' ? 'IQP' : name.replace(/-/g, ' '));

/** The other games with the same position, and how all of them ended. */
function others(hit: Hit, around: Around): HTMLElement | false {
  if (hit.game_count < 2) return false;
  const more = hit.game_count - 1;
  const words = more === 1 ? 'and 1 more game' : `and ${grouped(more)} more games`;
  return h(
    'div',
    { class: 'others' },
    h('button', { type: 'button', class: 'source', onclick: () => around.list(hit) }, words),
    bar(hit),
  );
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

/** What a player would say of both positions; then what the ranking counted, with threats first. */
function reasons(
  hit: Hit,
  say: (word: SharedWord) => void,
  explain: (shared: Shared) => void,
  rest: () => void,
): HTMLElement {
  const said = hit.both.slice(0, REASONS).map((it) => chip('word', it.words, () => say(it), rest));
  const counted = inPlayersOrder(hit.shared)
    .slice(0, REASONS - said.length)
    .map((it) => chip(it.family, it.words, () => explain(it), rest));
  return h('ul', { class: 'reasons', 'aria-label': 'Why they are similar' }, ...said, ...counted);
}

/** A reason; pointing at it draws it on both boards. */
const chip = (kind: string, words: string, draw: () => void, rest: () => void): HTMLElement =>
  h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: `reason ${kind}`,
        onmouseenter: draw,
        onfocus: draw,
        onclick: draw,
        onmouseleave: rest,
        onblur: rest,
      },
      words,
    ),
  );

/** The order in which a player would name terms: threats first, what is only rare last. */
const ORDER = ['attack', 'defence', 'reach', 'ray', 'place'];

/** Terms in a player's order, the stronger first within a family. */
export const inPlayersOrder = (shared: readonly Shared[]): Shared[] => {
  const rank = (it: Shared) => ORDER.indexOf(it.family);
  return [...shared].sort((one, two) => rank(one) - rank(two));
};

const REASONS = 4;
