// How games, symmetries and the engine's outlook are told.

import type { Game, Hit } from './api';

/** A player with the rating, unless the name has it already, as engines' do. */
export function player(name: string, elo: number): string {
  return elo > 0 && !name.includes(`(${elo})`) ? `${name} (${elo})` : name;
}

export const players = (game: Game): string =>
  `${player(game.white, game.white_elo)} – ${player(game.black, game.black_elo)}`;

/** Where and when, as far as it is known. */
export function occasion(game: Game): string {
  const year = game.date.slice(0, 4);
  const parts = [game.event, /^\d{4}$/.test(year) ? year : '', game.eco];
  return parts.filter((it) => it && it !== '?').join(' · ');
}

export const result = (game: Game): string => game.result.replace('1/2-1/2', '½–½').replace('-', '–');

/** How a game ended. */
export const ending = (winner: 'white' | 'black' | undefined): string =>
  winner ? `${winner === 'white' ? 'White' : 'Black'} has won.` : 'A draw.';

/** What the engine thinks of its game: who mates whom, or by how many pawns it is ahead. */
export function outlook({ score, mate_in }: { score: number; mate_in: number | null }): string {
  if (mate_in !== null) return mate_in > 0 ? `mate in ${mate_in}` : `mated in ${-mate_in}`;
  const pawns = score / 100;
  return `${pawns >= 0 ? '+' : '−'}${Math.abs(pawns).toFixed(2)} for itself`;
}

export const SYMMETRY: Record<Hit['symmetry'], string> = {
  none: '',
  swap: 'colors swapped',
  mirror: 'mirrored',
  both: 'mirrored, colors swapped',
};

/** Which move of the game comes next, as its score sheet counts. */
export function moveNumber(fen: string): string {
  const fields = fen.split(' ');
  return `${fields[5] ?? '1'}${fields[1] === 'b' ? '…' : '.'}`;
}
