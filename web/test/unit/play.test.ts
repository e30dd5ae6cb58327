import { expect, test } from 'vitest';

import { outlook } from '../../src/words';

test('the engine says whether it mates or is mated', () => {
  expect(outlook({ score: 31_990, mate_in: 3 })).toBe('mate in 3');
  expect(outlook({ score: -31_990, mate_in: -3 })).toBe('mated in 3');
  expect(outlook({ score: 40, mate_in: null })).toBe('+0.40 for itself');
  expect(outlook({ score: -125, mate_in: null })).toBe('−1.25 for itself');
});
