import { describe, expect, test } from 'vitest';

import { BLANK, attacked, inWords, marked, read, write, type Drawing } from '../../src/drawing';

describe('a drawing', () => {
  const iqp = marked(marked(BLANK, 'd4', 'P', false), 'c3', '_', false);

  test.each<[string, Drawing, string]>([
    ['nothing', BLANK, ''],
    ['pieces and an empty square', iqp, '_c3 Pd4'],
    ['this or that piece', marked(marked(BLANK, 'e5', 'N', false), 'e5', 'B', false), '[NB]e5'],
    ['a piece that must not be there', marked(BLANK, 'e5', 'a', true), 'not ae5'],
    ['an attack and a side to move', { ...attacked(iqp, 'd4', 'e5'), turn: 'wtm' }, 'wtm _c3 Pd4 d4->e5'],
    ['both colors and sides', { ...iqp, colors: true, sides: true }, 'flipcolor flipvertical {_c3 Pd4}'],
    ['what lasts', { ...iqp, plies: 6 }, 'line --> {_c3 Pd4}{6}'],
    ['what lasts in both colors', { ...iqp, plies: 6, colors: true }, 'line --> {flipcolor {_c3 Pd4}}{6}'],
  ])('of %s is written and read', (_, drawing, text) => {
    expect(write(drawing)).toBe(text);
    expect(read(text)).toEqual(drawing);
  });

  test.each(['R==2', 'Pd4 or Pd5', '@iqp', 'line --> Pd4 --> Pd5', '{Pd4', 'Pd4 nd4', 'line --> {Pd4}{1}'])(
    'does not draw %s',
    (text) => expect(read(text)).toBeUndefined(),
  );

  test('loses what is marked again', () => {
    expect(marked(iqp, 'd4', 'P', false).wishes.has('d4')).toBe(false);
    expect(attacked(attacked(iqp, 'd4', 'e5'), 'd4', 'e5')).toEqual(iqp);
    expect(inWords({ letters: 'Nq', not: true })).toBe('not white knight or black queen');
  });
});
