// Judging: for the position on the board, hits of several runs one after the
// other, without scores, each graded from 0 to 4.

import type { Color } from '@lichess-org/chessground/types';

import { Asker, get, post, put, query, type Game, type Hit } from './api';
import { Picture } from './board';
import { fill, h, tool } from './dom';
import { emptyState, faultState, notice } from './notice';
import { SYMMETRY, moveNumber, occasion } from './words';

interface Pooled {
  symmetry: Hit['symmetry'];
  fen: string;
  turned_fen: string;
  ply: number;
  game: Game;
  turned_next: string[];
}

interface Pool {
  query: { fen: string };
  runs: string[];
  hits: Pooled[];
}

interface Kept {
  assessor: string;
  query: string;
  game: number;
  ply: number;
  grade: number;
}

const GRADES = ['nothing in common', 'a little alike', 'alike in part', 'much alike', 'the same ideas'];
const NAME = 'tabiya-assessor';

const key = (game: number, ply: number) => `${game}.${ply}`;

export class JudgeView {
  readonly element = h('div', { class: 'judge' });
  readonly #asker = new Asker();
  #assessor = remembered();
  #pool: Pool | undefined;
  #grades = new Map<string, number>();
  #at = 0;
  /** Whether a grade is on its way. */
  #sending = false;
  #orientation: Color = 'white';
  #fen = '';

  async ask(fen: string, orientation: Color): Promise<void> {
    this.#fen = fen;
    this.#orientation = orientation;
    if (!this.#assessor) return this.#askName();
    this.element.setAttribute('aria-busy', 'true');
    try {
      const pool = await this.#asker.ask<Pool>('pool', { fen });
      if (!pool) return;
      const kept = await get<Kept[]>('judgments', { fen, assessor: this.#assessor });
      this.#pool = pool;
      this.#grades = new Map(kept.map((it) => [key(it.game, it.ply), it.grade]));
      this.#at = this.#nextOpen(0);
      this.#show();
    } catch (error) {
      fill(
        this.element,
        faultState(error, () => void this.ask(fen, orientation)),
      );
    } finally {
      this.element.removeAttribute('aria-busy');
    }
  }

  /** Grades the hit that is shown and goes to the next one that has no grade. */
  async grade(grade: number): Promise<void> {
    const pool = this.#pool;
    const hit = pool?.hits[this.#at];
    // A second key would grade the same hit again, before the next one is seen.
    if (!hit || !this.#assessor || this.#sending) return;
    this.#send(true);
    try {
      await post('judgments', {
        assessor: this.#assessor,
        fen: this.#fen,
        game: hit.game.id,
        ply: hit.ply,
        grade,
      });
      this.#send(false);
      if (this.#pool !== pool) return;
      this.#grades.set(key(hit.game.id, hit.ply), grade);
      this.#at = this.#nextOpen(this.#at + 1);
      this.#show();
    } catch (error) {
      this.#send(false);
      notice(`Not kept: ${error instanceof Error ? error.message : error}`, 'fault');
    }
  }

  #send(sending: boolean): void {
    this.#sending = sending;
    for (const it of this.element.querySelectorAll<HTMLButtonElement>('.scale button')) it.disabled = sending;
  }

  walk(change: number): void {
    const last = this.#pool?.hits.length ?? 0;
    this.#at = Math.max(0, Math.min(last, this.#at + change));
    this.#show();
  }

  /** The first hit without a grade from here on, then from the beginning. */
  #nextOpen(from: number): number {
    const hits = this.#pool?.hits ?? [];
    const open = (it: Pooled) => !this.#grades.has(key(it.game.id, it.ply));
    const later = hits.findIndex((it, index) => index >= from && open(it));
    if (later >= 0) return later;
    const earlier = hits.findIndex(open);
    return earlier >= 0 ? earlier : hits.length;
  }

  #askName(): void {
    const input = h('input', {
      name: 'assessor',
      maxlength: 64,
      autocomplete: 'nickname',
      'aria-label': 'Your name',
      placeholder: 'Your name',
    });
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const name = input.value.trim();
      if (!name) return input.focus();
      this.#assessor = name;
      remember(name);
      void this.ask(this.#fen, this.#orientation);
    };
    const form = h(
      'form',
      { class: 'field', onsubmit: submit },
      input,
      h('button', { class: 'primary' }, 'Begin'),
    );
    const words =
      'Judge how like the position on the board each hit is. Hits of several rankings are mixed, without scores. Grades are kept with the collection under your name.';
    fill(this.element, emptyState('How good are the answers?', words, form));
  }

  #show(): void {
    const pool = this.#pool;
    if (!pool) return;
    const done = pool.hits.filter((it) => this.#grades.has(key(it.game.id, it.ply))).length;
    const total = pool.hits.length;
    const hit = pool.hits[this.#at];
    const head = h(
      'div',
      { class: 'judge-head' },
      h('progress', { max: Math.max(1, total), value: done, 'aria-label': 'Judged' }),
      h('span', { role: 'status' }, `${done} of ${total} judged`),
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => this.#leave() },
        `${this.#assessor}, not you?`,
      ),
    );
    const body = hit
      ? this.#one(hit)
      : emptyState(
          total ? 'All judged' : 'Nothing to judge',
          total
            ? 'Thank you. Play a move or paste another position to judge the next query.'
            : 'No run found anything.',
        );
    fill(this.element, head, body, this.#files());
    this.element
      .querySelector<HTMLElement>('.scale [aria-pressed=true], .scale button')
      ?.focus({ preventScroll: true });
  }

  #one(hit: Pooled): HTMLElement {
    const query = new Picture(this.#fen, this.#orientation, 'The query');
    const found = new Picture(hit.turned_fen, this.#orientation, 'The position to judge');
    const given = this.#grades.get(key(hit.game.id, hit.ply));
    const buttons = GRADES.map((words, grade) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(given === grade),
          disabled: this.#sending,
          onclick: () => void this.grade(grade),
        },
        h('kbd', {}, grade),
        words,
      ),
    );
    const label = SYMMETRY[hit.symmetry];
    const next = `${moveNumber(hit.turned_fen)} ${hit.turned_next.join(' ') || 'the game ended here'}`;
    return h(
      'div',
      {},
      h(
        'div',
        { class: 'pair' },
        h('figure', {}, query.element, h('figcaption', {}, 'the query')),
        h(
          'figure',
          {},
          found.element,
          h('figcaption', {}, [label, occasion(hit.game)].filter(Boolean).join(' · ')),
        ),
      ),
      h('p', { class: 'next' }, 'It went on ', next),
      h('div', { class: 'scale', role: 'group', 'aria-label': 'How like the query is it?' }, ...buttons),
      h(
        'div',
        { class: 'tools' },
        tool('back', 'The one before', '', () => this.walk(-1)),
        tool('forward', 'The next one', '', () => this.walk(1)),
      ),
    );
  }

  /** Export and import of all grades, for programs that evaluate. */
  #files(): HTMLElement {
    const file = h('input', {
      type: 'file',
      accept: '.txt,.qrels,text/plain',
      hidden: true,
      'aria-label': 'Import qrels',
    });
    file.addEventListener('change', () => void this.#import(file));
    return h(
      'p',
      { class: 'files' },
      h(
        'a',
        { href: query('judgments/qrels', { assessor: this.#assessor }), download: `${this.#assessor}.qrels` },
        'Export mine',
      ),
      h('a', { href: '/api/v1/judgments/qrels', download: 'all.qrels' }, 'Export all'),
      h('button', { type: 'button', class: 'quiet', onclick: () => file.click() }, 'Import qrels'),
      file,
    );
  }

  async #import(file: HTMLInputElement): Promise<void> {
    const text = await file.files?.[0]?.text();
    if (!text) return;
    try {
      const { imported } = await put<{ imported: number }>(
        'judgments/qrels',
        { assessor: this.#assessor },
        text,
      );
      notice(`${imported} judgments were imported.`);
      await this.ask(this.#fen, this.#orientation);
    } catch (error) {
      notice(`Nothing was imported: ${error instanceof Error ? error.message : error}`, 'fault');
    }
  }

  #leave(): void {
    this.#assessor = '';
    remember('');
    this.#askName();
  }
}

/** The name on this machine; a browser that keeps nothing asks again. */
function remembered(): string {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

function remember(name: string): void {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // It is only a convenience.
  }
}
