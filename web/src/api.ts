// Asking the server. The shapes are those of the program's `--json`.

export interface Game {
  id: number;
  white: string;
  black: string;
  white_elo: number;
  black_elo: number;
  event: string;
  site: string;
  date: string;
  round: string;
  result: string;
  eco: string;
}

export interface Shared {
  term: string;
  family: string;
  weight: number;
  share: number;
  words: string;
  square: string;
  here: string[];
  there: string[];
}

export interface Hit {
  rank: number;
  score: number;
  similarity: number;
  symmetry: 'none' | 'mirror' | 'swap' | 'both';
  fen: string;
  turned_fen: string;
  ply: number;
  game: Game;
  next: string[];
  turned_next: string[];
  families: Record<string, number>;
  shared: Shared[];
  rerank?: { similarity: number; score: number; first_rank: number; flag: string | null };
}

export interface PlayedMove {
  uci: string;
  san: string;
  legal: boolean;
  games: number;
  white: number;
  draws: number;
  black: number;
  weight: number;
  average_elo: number;
}

export interface Answer {
  query: { fen: string };
  collection: { games: number; positions: number };
  took_ms: number;
  hits: Hit[];
  moves: PlayedMove[];
}

export interface ExploredMove {
  uci: string;
  san: string;
  averageRating: number | null;
  white: number;
  draws: number;
  black: number;
  unknown: number;
  lastYear: number | null;
  opening: { eco: string; name: string } | null;
}

export interface Explored {
  white: number;
  draws: number;
  black: number;
  unknown: number;
  moves: ExploredMove[];
  opening: { eco: string; name: string } | null;
}

export interface Moves {
  game: Game;
  fen: string;
  moves: { san: string; uci: string; fen: string }[];
}

export interface Trap {
  trap: string | null;
  game: number | null;
  ply: number | null;
  symmetry: string;
  similarity: number;
  play: number;
  looks: number;
  trap_bait: string;
  bait: string | null;
  verified: boolean;
  refutation: string[];
  mate_in: number | null;
  gain: number | null;
  better: string | null;
}

export interface Traps {
  fen: string;
  warning: boolean;
  traps: Trap[];
}

export interface Match {
  a: string;
  b: string;
  count: number;
  effects: [string, string];
  paths: [[string, string], [string, string]];
}

/** Measures have names with their depth, such as `continuations_2`. */
export interface Compared {
  structural: number;
  correlation: number;
  encoding: number;
  freedom: number;
  verdict: string;
  matches: Match[];
  shared: string[];
  only_a: string[];
  only_b: string[];
  swapped?: Compared;
  [measure: string]: unknown;
}

export interface Collection {
  name: string;
  games: number;
  positions: number;
  skip: number;
  traps: number;
}

/** The server understood, and says no. */
export class Refused extends Error {}

/** The server does not answer. */
export class Away extends Error {}

type Values = Record<string, string | number | undefined> | [string, string][];

/** How many requests are open; the page shows progress if one takes long. */
let open = 0;
const busy = (change: number) => {
  open += change;
  document.body.toggleAttribute('data-busy', open > 0);
};

export function query(path: string, values: Values = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Array.isArray(values) ? values : Object.entries(values)) {
    if (value !== undefined && value !== '') parts.set(name, String(value));
  }
  return `/api/v1/${path}?${parts}`;
}

export const get = <T>(path: string, values: Values = {}, signal?: AbortSignal): Promise<T> =>
  request<T>(query(path, values), { signal: signal ?? null });

export const post = <T>(path: string, body: unknown): Promise<T> =>
  request<T>(`/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export const put = <T>(path: string, values: Values, body: string): Promise<T> =>
  request<T>(query(path, values), { method: 'PUT', headers: { 'content-type': 'text/plain' }, body });

async function request<T>(address: string, options: RequestInit): Promise<T> {
  busy(+1);
  try {
    const response = await reach(address, options);
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return body as T;
    const message = (body as { error?: string } | undefined)?.error;
    throw new Refused(message ?? `The server answered ${response.status}.`);
  } finally {
    busy(-1);
  }
}

async function reach(address: string, options: RequestInit): Promise<Response> {
  try {
    const response = await fetch(address, options);
    dispatchEvent(new Event('server-here'));
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    dispatchEvent(new Event('server-away'));
    throw new Away('The server does not answer.');
  }
}

/** Asks one thing at a time: a newer question calls the older one off. */
export class Asker {
  #controller: AbortController | undefined;

  async ask<T>(path: string, values: Values = {}): Promise<T | undefined> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      return await get<T>(path, values, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }

  cancel(): void {
    this.#controller?.abort();
  }
}
