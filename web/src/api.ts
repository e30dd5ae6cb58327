// Requests to the server. `npm run types` generates the types from the server's own description,
// `openapi.json`; only this file names them.

import type { components, paths } from './openapi';

type Schemas = components['schemas'];

export type Game = Schemas['GameHeader'];
export type GameMoves = Schemas['GameAnswer'];
export type Hit = Schemas['Hit'];
export type Memory = Schemas['Memory'];
export type Explored = Schemas['ExploreAnswer'];
export type PlayedMove = Schemas['PlayedMove'];
export type Ply = Schemas['Ply'];
export type Pool = Schemas['Pool'];
export type PooledHit = Schemas['PoolHit'];
export type Reply = Schemas['PlayAnswer'];
export type SearchAnswer = Schemas['Document'] & Schemas['SearchAnswer'];
export type Shared = Schemas['SharedTerm'];
export type SharedWord = Schemas['SharedWord'];
export type Trap = Schemas['Trap'];
export type Traps = Schemas['TrapsAnswer'];

export type Comparison = Schemas['CompareAnswer'];
export type Match = Schemas['MovePair'];
export type FindAnswer = Schemas['FindAnswer'];
export type PatternMatch = Schemas['PatternMatch'];
export type GamePage = Schemas['GamePage'];
export type EngineLine = Schemas['EngineLine'];
export type ServedCollection = Schemas['ServedCollection'];
export type ImportProgress = Schemas['ImportProgress'];

export type Review = Schemas['ReviewAnswer'];
export type ReviewMoment = Review['moments'][number];
export type Prepared = Schemas['PrepareAnswer'];
export type TrainingTask = Schemas['TrainingTask'];
export type TrainingState = Schemas['TrainingState'];

export type SearchParameters = Values<'get', 'search'>;
export type Rerank = NonNullable<SearchParameters['rerank']>;
export type Symmetry = NonNullable<SearchParameters['symmetry']>;

type Method = 'get' | 'post' | 'put' | 'delete';

/** The routes that have a method, as the description names them, without `/api/v1/`. */
type Route<M extends Method> = {
  [P in keyof paths]: P extends `/api/v1/${infer R}`
    ? paths[P] extends Record<M, object>
      ? R
      : never
    : never;
}[keyof paths];

type AnyRoute = Route<'get'> | Route<'post'> | Route<'put'> | Route<'delete'>;

type Operation<M extends Method, R extends Route<M>> = paths[`/api/v1/${R}` & keyof paths][M];

/** The parameters of an operation, in its path and in its query. */
type Values<M extends Method, R extends Route<M>> =
  Operation<M, R> extends { parameters: { query?: infer Q; path?: infer P } } ? Known<Q> & Known<P> : never;
type Known<T> = [T] extends [undefined] ? object : NonNullable<T>;

type Body<M extends Method, R extends Route<M>> =
  Operation<M, R> extends { requestBody: { content: infer C } } ? C[keyof C] : never;

type Answer<M extends Method, R extends Route<M>> =
  Operation<M, R> extends {
    responses: { 200: { content: infer C } } | { 201: { content: infer C } } | { 202: { content: infer C } };
  }
    ? C[keyof C]
    : void;

/** The server rejected the request and gave a reason. */
export class Rejection extends Error {}

/** The server did not respond. */
export class Outage extends Error {}

/** The number of open requests; the page shows progress if one takes long. */
let open = 0;
const busy = (change: number) => {
  open += change;
  document.body.toggleAttribute('data-busy', open > 0);
};

/** The collections that requests ask, with commas between; the first of the server if empty. */
let asked = '';
export function askCollections(names: string): void {
  asked = names;
}

/** The address of a route: values fill the braces of its path, the others form the query. */
export function address(route: AnyRoute, values: object = {}): string {
  let path: string = route;
  const parameters = new URLSearchParams();
  const all = NEUTRAL.test(route) ? values : { collection: asked, ...values };
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || value === '') continue;
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else parameters.set(name, String(value));
  }
  return parameters.size ? `/api/v1/${path}?${parameters}` : `/api/v1/${path}`;
}

/** Routes that do not ask collections. */
const NEUTRAL = /^(collections|imports|uploads|health|analyze|training)/;

export const get = <R extends Route<'get'>>(
  route: R,
  values: Values<'get', R>,
  signal?: AbortSignal,
): Promise<Answer<'get', R>> => request(address(route, values), { signal: signal ?? null });

export const post = <R extends Route<'post'>>(
  route: R,
  body: Body<'post', R>,
  values: object = {},
): Promise<Answer<'post', R>> =>
  request(address(route, values), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export const remove = <R extends Route<'delete'>>(route: R, values: Values<'delete', R>): Promise<void> =>
  request(address(route, values), { method: 'DELETE' });

/** Uploads a file for an import. The signal breaks it off. */
export function upload(
  id: string,
  file: File,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((done, failed) => {
    // Only the older interface reports progress.
    const request = new XMLHttpRequest();
    request.open('PUT', address('uploads/{upload}/{file}', { upload: id, file: file.name }));
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onerror = () => failed(new Outage('The server is not responding.'));
    request.onabort = () => failed(new DOMException('The upload was canceled.', 'AbortError'));
    request.onload = () => {
      if (request.status < 300) return done();
      const problem = /"error":"(.*?)"/.exec(request.responseText)?.[1];
      failed(new Rejection(problem ?? `the server failed with status ${request.status}`));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

export const put = <R extends Route<'put'>>(
  route: R,
  values: Values<'put', R>,
  body: Body<'put', R> & string,
): Promise<Answer<'put', R>> =>
  request(address(route, values), { method: 'PUT', headers: { 'content-type': 'text/plain' }, body });

async function request<T>(address: string, options: RequestInit): Promise<T> {
  busy(+1);
  try {
    const response = await reach(address, options);
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return body as T;
    const message = (body as Partial<Schemas['Problem']> | undefined)?.error;
    throw new Rejection(
      message ?? `the server failed with status ${response.status}; its log has the reason`,
    );
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
    throw new Outage('The server is not responding.');
  }
}

/** Sends one request at a time: a newer one cancels the older one. */
export class Asker {
  #controller: AbortController | undefined;

  async ask<R extends Route<'get'>>(
    route: R,
    values: Values<'get', R>,
  ): Promise<Answer<'get', R> | undefined> {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      return await get(route, values, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }

  cancel(): void {
    this.#controller?.abort();
  }
}
