// What annotators say, in glyphs and in words.

import { h } from './dom';

/** Glyphs that have a sign: the sign and its meaning. The others appear as in PGN, such as $120. */
export const GLYPHS: Readonly<Record<number, readonly [string, string]>> = {
  1: ['!', 'good move'],
  2: ['?', 'mistake'],
  3: ['!!', 'brilliant move'],
  4: ['??', 'blunder'],
  5: ['!?', 'interesting move'],
  6: ['?!', 'dubious move'],
  7: ['□', 'only move'],
  10: ['=', 'equal'],
  13: ['∞', 'unclear'],
  14: ['+=', 'White is slightly better'],
  15: ['=+', 'Black is slightly better'],
  16: ['±', 'White is better'],
  17: ['∓', 'Black is better'],
  18: ['+−', 'White is winning'],
  19: ['−+', 'Black is winning'],
  22: ['⊙', 'zugzwang'],
  23: ['⊙', 'zugzwang'],
  32: ['↻', 'development'],
  33: ['↻', 'development'],
  36: ['↑', 'initiative'],
  37: ['↑', 'initiative'],
  40: ['→', 'attack'],
  41: ['→', 'attack'],
  44: ['=∞', 'compensation'],
  45: ['=∞', 'compensation'],
  132: ['⇆', 'counterplay'],
  133: ['⇆', 'counterplay'],
  138: ['⊕', 'time trouble'],
  139: ['⊕', 'time trouble'],
  146: ['N', 'novelty'],
};

export interface Glyph {
  readonly sign: string;
  readonly meaning: string;
  /** Whether it praises or blames the move, or neither. */
  readonly tone: 'good' | 'bad' | '';
}

/** The glyphs of a move in the annotator's order, without repetitions. 0 means nothing in PGN. */
export const glyphs = (numbers: readonly number[]): Glyph[] =>
  [...new Set(numbers)]
    .filter((it) => it !== 0)
    .map((it) => {
      const [sign, meaning] = GLYPHS[it] ?? [`$${it}`, `glyph ${it}`];
      return { sign, meaning, tone: [1, 3].includes(it) ? 'good' : [2, 4, 6].includes(it) ? 'bad' : '' };
    });

/** A glyph behind a move; screen readers read its meaning. */
export const glyphMark = ({ sign, meaning, tone }: Glyph): HTMLElement =>
  h('span', { class: `glyph ${tone}`.trim(), role: 'img', 'aria-label': meaning, title: meaning }, sign);

/** Comments as a quotation, a paragraph each; nothing if there are none. */
export const quotation = (comments: readonly string[], label: string): HTMLElement | false =>
  comments.length > 0 &&
  h(
    'blockquote',
    { class: 'said', 'aria-label': label, title: label },
    ...comments.map((it) => h('p', { dir: 'auto' }, it)),
  );
