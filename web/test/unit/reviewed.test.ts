import { expect, test } from 'vitest';
import type { Review } from '../../src/api';
import { joined, slip } from '../../src/reviewed';
import { progress } from '../../src/words';

const player = (moves: number, blunders: number, mean_loss: number) => ({
  side: 'white',
  name: 'Anna',
  moves,
  inaccuracies: 0,
  mistakes: 1,
  blunders,
  mean_loss,
});

const part = (evaluations: number[], moves: number, ply: number) =>
  ({
    plies: 4,
    evaluations: evaluations.map((centipawns) => ({ centipawns, mate_in: null })),
    players: [player(moves, 1, 0.1 * moves), player(moves, 0, 0)],
    moments: [{ ply }],
    departure: { ply: 2 },
  }) as unknown as Review;

test('parts of a review make up the whole', () => {
  const whole = joined(part([1, 2, 3], 1, 1), part([3, 4, 5], 3, 3));
  expect(whole.evaluations.map((it) => it.centipawns)).toEqual([1, 2, 3, 4, 5]);
  expect(whole.moments.map((it) => it.ply)).toEqual([1, 3]);
  expect(whole.players[0]).toMatchObject({ moves: 4, mistakes: 2, blunders: 2 });
  expect(whole.players[0]?.mean_loss).toBeCloseTo((0.1 + 3 * 0.3) / 4);
});

test('a slip is the first lapse since the departure, not one before it', () => {
  expect(slip(part([], 1, 1))).toBeUndefined();
  expect(slip(part([], 1, 2))?.ply).toBe(2);
  expect(slip({ ...part([], 1, 2), departure: null })).toBeUndefined();
});

test('progress tells the part, the rate and the remaining time', () => {
  expect(progress(20, 80, 10, 'plies')).toMatch(/^20 of 80 plies · 2\.0 a second · .*30.* left$/);
  expect(progress(0, 80, 0, 'plies')).toBe('0 of 80 plies');
});
