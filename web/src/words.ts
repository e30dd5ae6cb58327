// Games, symmetries and the engine's outlook in words.

import type { Game, Reply } from './api';

/** A rating in parentheses, or nothing if it is unknown. */
export const rating = (elo: number | null | undefined): string => (elo ? `(${elo})` : '');

/** A player with the rating, unless the name contains it, as the names of engines do. */
export function player(name: string, elo: number | null): string {
  const known = rating(elo);
  return known && !name.includes(known) ? `${name} ${known}` : name;
}

export const players = (game: Game): string =>
  `${player(game.white, game.white_elo)} – ${player(game.black, game.black_elo)}`;

/** The year of a game, or nothing if it is unknown. */
export const year = (game: Game): string => String(game.year ?? '');

/** Event, year and opening, as far as they are known. */
export function occasion(game: Game): string {
  const parts = [game.event, year(game), game.eco];
  return parts.filter((it) => it && it !== '?').join(' · ');
}

/** A result as players write it. */
export const resultText = (text: string): string => text.replace('1/2-1/2', '½–½').replace('-', '–');

export const result = (game: Game): string => resultText(game.result);

/** The result of a finished game. */
export const ending = (winner: 'white' | 'black' | undefined): string =>
  winner ? `${winner === 'white' ? 'White' : 'Black'} won.` : 'Draw.';

/** The engine's view of its game: a mate, or its evaluation in pawns. */
export function outlook({ score, mate_in }: Pick<Reply, 'score' | 'mate_in'>): string {
  if (typeof mate_in === 'number')
    return mate_in > 0 ? `it mates in ${mate_in}` : `it is mated in ${-mate_in}`;
  const pawns = score / 100;
  return `its evaluation is ${pawns >= 0 ? '+' : '−'}${Math.abs(pawns).toFixed(2)}`;
}

/** How a hit is turned to the query's view. */
export const SYMMETRY: Readonly<Record<string, string>> = {
  none: '',
  swap: 'colors swapped',
  mirror: 'mirrored',
  both: 'mirrored, colors swapped',
};

/** The number of the next move, as on a score sheet. */
export function moveNumber(fen: string): string {
  const fields = fen.split(' ');
  return `${fields[5] ?? '1'}${fields[1] === 'b' ? '…' : '.'}`;
}

/** A time in words. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** How far work is: the part done, the rate, and the remaining time. */
export function progress(done: number, all: number, seconds: number, what: string): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const facts = [
    `${done} of ${all} ${what}`,
    rate > 0 && `${rate.toFixed(1)} a second`,
    rate > 0 && `${duration((all - done) / rate)} left`,
  ];
  return facts.filter(Boolean).join(' · ');
}
