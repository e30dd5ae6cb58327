import { expect, test } from 'vitest';

import { outlook } from '../../src/words';

test('the engine reports a mate, or its evaluation', () => {
  expect(outlook({ score: 31_990, mate_in: 3 })).toBe('it mates in 3');
  expect(outlook({ score: -31_990, mate_in: -3 })).toBe('it is mated in 3');
  expect(outlook({ score: 40, mate_in: null })).toBe('its evaluation is +0.40');
  expect(outlook({ score: -125, mate_in: null })).toBe('its evaluation is −1.25');
});
