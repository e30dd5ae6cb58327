// What a review says, apart from how it is shown.

import type { Review, ReviewMoment } from './api';

/** The review of a game's plies and of those that follow. */
export function joined(one: Review, two: Review): Review {
  const players = one.players.map((it, side) => {
    const other = two.players[side] ?? it;
    const moves = it.moves + other.moves;
    return {
      ...it,
      moves,
      inaccuracies: it.inaccuracies + other.inaccuracies,
      mistakes: it.mistakes + other.mistakes,
      blunders: it.blunders + other.blunders,
      mean_loss: (it.mean_loss * it.moves + other.mean_loss * other.moves) / Math.max(1, moves),
    };
  });
  return {
    ...one,
    evaluations: [...one.evaluations, ...two.evaluations.slice(1)],
    players,
    moments: [...one.moments, ...two.moments],
  };
}

/** The first lapse since the game left what is known. */
export function slip(review: Pick<Review, 'departure' | 'moments'>): ReviewMoment | undefined {
  const { departure, moments } = review;
  return departure ? moments.find((it) => it.ply >= departure.ply) : undefined;
}
