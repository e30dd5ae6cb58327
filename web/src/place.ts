// Where the reader is: position, view and settings. The address holds all of it,
// so that a link or the back button restores it.

import type { Rerank, SearchParameters, Symmetry } from './api';
import { START, readFen, steps, type Line } from './line';
import { treeOf, type Tree } from './tree';
import { SIDES, opponent, type Side } from './turns';

export const VIEWS = [
  'similar',
  'games',
  'find',
  'traps',
  'compare',
  'judge',
  'play',
  'review',
  'train',
  'prepare',
] as const;
export type View = (typeof VIEWS)[number];

export const FAMILIES = ['place', 'reach', 'attack', 'defence', 'ray'] as const;
export type Family = (typeof FAMILIES)[number];

/** What orders the list. */
export type Ranking = Rerank;

/** What counts more than usual. */
export const LIKES = {
  '': 'everything',
  pawns: 'pawns',
  pieces: 'pieces',
  threats: 'threats',
  endgame: 'endgame',
};
export type Like = keyof typeof LIKES;

/** The compiler requires a name for each ranking that the server offers, and for no other. */
export const RANKING_NAMES: Readonly<Record<Ranking, string>> = {
  likeness: 'likeness',
  none: 'shared terms',
  continuations: 'play: continuations',
  structural: 'play: structure',
  freedom: 'play: freedom',
  blend: 'looks and play',
  motif: 'play: motif',
};
export const RANKINGS = Object.keys(RANKING_NAMES) as Ranking[];

export const SYMMETRY_NAMES: Readonly<Record<Symmetry, string>> = {
  none: 'none',
  swap: 'colors swapped',
  mirror: 'mirrored',
  all: 'all',
};
export const SYMMETRIES = Object.keys(SYMMETRY_NAMES) as Symmetry[];

/** The engine's time for a move, in milliseconds; under 250 it retrieves no cases. */
export const TIMES = [300, 1000, 3000] as const;
export type Time = (typeof TIMES)[number];

/** The server's names of the filters. */
export const FILTERS = [
  'player',
  'elo',
  'date',
  'eco',
  'event',
  'result',
  'side_to_move',
  'material',
  'pieces',
  'ply',
] as const satisfies readonly (keyof SearchParameters)[];
export type Filter = (typeof FILTERS)[number];

export interface Settings {
  readonly ranking: Ranking;
  readonly like: Like;
  /** Whether best lines of short searches are compared too. */
  readonly deep: boolean;
  readonly symmetry: Symmetry;
  readonly weights: Readonly<Record<Family, number>>;
  readonly filters: Readonly<Partial<Record<Filter, string>>>;
  /** Whether positions in the annotators' variations are searched too. */
  readonly variations: boolean;
}

/** An open game and the ply shown, in the game itself or in one of its variations. */
export interface Opened {
  readonly id: number;
  readonly ply: number;
  /** The number of the variation, counted from one. */
  readonly variation?: number;
}

/** The game of a hit or of a comment, open at its position. */
export const openedAt = (found: {
  game: { id: number };
  ply: number;
  variation?: number | null;
}): Opened => ({
  id: found.game.id,
  ply: found.ply,
  ...(found.variation ? { variation: found.variation } : {}),
});

/** Whom to prepare for. */
export interface Opponent {
  /** A part of the name. */
  readonly name: string;
  /** The first year whose games count; any if empty. */
  readonly since: string;
}

export interface Place {
  readonly view: View;
  /** The game with its variations. The address holds only the line through the position shown. */
  readonly tree: Tree;
  readonly line: Line;
  /** The number of moves of the line that are played. */
  readonly at: number;
  readonly flipped: boolean;
  readonly settings: Settings;
  /** The pattern to find, as a query. */
  readonly pattern: string;
  /** The collections asked, with commas between; the server's first if empty. */
  readonly collections: string;
  readonly game?: Opened;
  /** The position to compare with. */
  readonly other?: string;
  readonly opponent?: Opponent;
  /** The engine's side, once a game has started. */
  readonly engine?: Side;
  readonly time: Time;
}

export const EVEN: Settings['weights'] = { place: 1, reach: 1, attack: 1, defence: 1, ray: 1 };

export const DEFAULTS: Settings = {
  ranking: 'likeness',
  like: '',
  deep: false,
  symmetry: 'swap',
  weights: EVEN,
  filters: {},
  variations: false,
};

/** The position of the README, for readers that come without one: an isolated queen's pawn. */
export const WELCOME: Line = {
  fen: 'r2q1rk1/pb2bppp/1pn1pn2/8/3P4/P1NB1N2/1P3PPP/R1BQR1K1 w - - 3 13',
  moves: [],
};

export const HOME: Place = {
  view: 'similar',
  tree: treeOf(WELCOME),
  line: WELCOME,
  at: 0,
  flipped: false,
  settings: DEFAULTS,
  collections: '',
  pattern: '',
  time: 1000,
};

/** Underscores replace spaces: they need no escape. */
const shorten = (fen: string) => fen.replace(/ /g, '_');
const lengthen = (fen: string) => fen.replace(/_/g, ' ');

export function toAddress(place: Place): string {
  const parts = new URLSearchParams();
  if (place.view !== 'similar') parts.set('view', place.view);
  if (place.line.fen === START.fen) parts.set('fen', 'start');
  else parts.set('fen', shorten(place.line.fen));
  if (place.line.moves.length) parts.set('moves', place.line.moves.join('.'));
  if (place.at !== place.line.moves.length) parts.set('at', String(place.at));
  if (place.flipped) parts.set('flip', '1');
  if (place.pattern) parts.set('pattern', place.pattern);
  if (place.collections) parts.set('collection', place.collections);
  for (const [name, value] of Object.entries(toParameters(place.settings))) parts.set(name, String(value));
  if (place.game) parts.set('game', gameText(place.game));
  if (place.other) parts.set('other', shorten(place.other));
  if (place.opponent) {
    parts.set('against', place.opponent.name);
    if (place.opponent.since) parts.set('since', place.opponent.since);
  }
  if (place.engine) parts.set('engine', place.engine);
  if (place.time !== HOME.time) parts.set('time', String(place.time));
  return '?' + parts.toString().replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%3D/g, '=');
}

/** A game in an address: its number, the ply and the variation, with dots between. */
const gameText = ({ id, ply, variation }: Opened): string =>
  [id, ply, ...(variation ? [variation] : [])].join('.');

function readGame(text: string): Opened | undefined {
  const [id, ply, variation] = text.split('.').map(whole);
  return id ? { id, ply: ply ?? 0, ...(variation ? { variation } : {}) } : undefined;
}

type SettingsParameters = Pick<
  SearchParameters,
  'rerank' | 'like' | 'deep' | 'symmetry' | 'weights' | 'variations' | Filter
>;

/** The settings as parameters of a search, without the defaults. */
export function toParameters(settings: Settings): SettingsParameters {
  const parameters: SettingsParameters = {};
  if (settings.ranking !== 'likeness') parameters.rerank = settings.ranking;
  if (settings.like) parameters.like = settings.like;
  if (settings.symmetry !== 'swap') parameters.symmetry = settings.symmetry;
  const weights = FAMILIES.filter((it) => settings.weights[it] !== 1).map(
    (it) => `${it}=${settings.weights[it]}`,
  );
  // The server takes weights of its own, or what counts more, but not both.
  if (weights.length && !settings.like) parameters.weights = weights.join(',');
  // Best lines are part of likeness, which weights of one's own leave out.
  if (settings.deep && !parameters.rerank && !parameters.weights) parameters.deep = true;
  for (const name of FILTERS) {
    const value = settings.filters[name];
    if (value) parameters[name] = value;
  }
  if (settings.variations) parameters.variations = true;
  return parameters;
}

/** The filters that concern games, not positions. */
export function gameParameters({ filters }: Settings): Partial<Record<Filter, string>> {
  const { player, elo, date, eco, event, result } = filters;
  return { player, elo, date, eco, event, result } as Partial<Record<Filter, string>>;
}

/** Reads an address. Missing and invalid parts take their defaults. */
export function fromAddress(search: string): Place {
  const parts = new URLSearchParams(search);
  const line = readLine(parts);
  const at = whole(parts.get('at')) ?? line.moves.length;
  const place = {
    view: oneOf(VIEWS, parts.get('view')) ?? 'similar',
    tree: treeOf(line),
    line,
    at: Math.min(at, line.moves.length),
  };
  const game = readGame(parts.get('game') ?? '');
  const other = parts.get('other');
  const name = parts.get('against');
  const prepared = name ? { name, since: parts.get('since') ?? '' } : undefined;
  const usual = place.view === 'play' ? opponent(line, place.at) : undefined;
  const engine = oneOf(SIDES, parts.get('engine')) ?? usual;
  return {
    ...place,
    flipped: parts.get('flip') === '1',
    settings: readSettings(parts),
    pattern: parts.get('pattern') ?? '',
    collections: parts.get('collection') ?? '',
    ...(game ? { game } : {}),
    ...(other ? { other: lengthen(other) } : {}),
    ...(prepared ? { opponent: prepared } : {}),
    ...(engine ? { engine } : {}),
    time: TIMES.find((it) => String(it) === parts.get('time')) ?? HOME.time,
  };
}

/** What is wrong with the position of an address, if anything. */
export function faultOf(search: string): string | undefined {
  const fen = new URLSearchParams(search).get('fen');
  if (fen === null || fen === 'start') return undefined;
  const read = readFen(lengthen(fen));
  return typeof read === 'string' ? read : undefined;
}

/** The line of an address, up to its first illegal move; from the start if its position is invalid. */
function readLine(parts: URLSearchParams): Line {
  const fen = parts.get('fen');
  if (faultOf(`?${parts}`)) return START;
  const first = fen === null ? WELCOME.fen : fen === 'start' ? START.fen : lengthen(fen);
  const moves = (parts.get('moves') ?? '').split('.');
  return { fen: first, moves: steps({ fen: first, moves }).map((it) => it.uci) };
}

/** A whole number that is not negative. */
const whole = (text: string | null): number | undefined =>
  text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;

function readSettings(parts: URLSearchParams): Settings {
  const weights: Record<Family, number> = { ...EVEN };
  for (const part of (parts.get('weights') ?? '').split(',')) {
    const [name, value] = part.split('=');
    const family = oneOf(FAMILIES, name ?? null);
    const weight = Number(value);
    if (family && value && weight >= 0 && weight <= 4) weights[family] = weight;
  }
  const filters: Partial<Record<Filter, string>> = {};
  for (const name of FILTERS) {
    const value = parts.get(name);
    if (value) filters[name] = value;
  }
  return {
    ranking: oneOf(RANKINGS, parts.get('rerank')) ?? 'likeness',
    like: oneOf(Object.keys(LIKES) as Like[], parts.get('like')) ?? '',
    deep: parts.get('deep') === 'true',
    symmetry: oneOf(SYMMETRIES, parts.get('symmetry')) ?? 'swap',
    weights,
    filters,
    variations: parts.get('variations') === 'true',
  };
}

function oneOf<T extends string>(choices: readonly T[], value: string | null): T | undefined {
  return choices.find((it) => it === value);
}
