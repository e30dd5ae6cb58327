// Judging: the hits of several runs for the position on the board, one after the
// other and without scores, each graded from 0 to 4.

import type { Color } from '@lichess-org/chessground/types';

import { Asker, address, get, post, put, type Pool, type PooledHit } from './api';
import { fill, h, tool } from './dom';
import { emptyState, faultState, notice } from './notice';
import { Picture } from './picture';
import { SYMMETRY, moveNumber, occasion } from './words';

const GRADES = ['nothing in common', 'slightly similar', 'partly similar', 'very similar', 'same ideas'];
const NAME = 'tabiya-assessor';

const key = (game: number, ply: number) => `${game}.${ply}`;

export class JudgeView {
  readonly element = h('div', { class: 'judge' });
  readonly #asker = new Asker();
  #assessor = loadName();
  #pool: Pool | undefined;
  #grades = new Map<string, number>();
  #at = 0;
  /** Whether a grade is being saved. */
  #sending = false;
  #orientation: Color = 'white';
  #fen = '';
  #mayJudge = true;

  /** Says whether the reader may judge. */
  allow(mayJudge: boolean): void {
    this.#mayJudge = mayJudge;
    if (!mayJudge) this.#refuse();
  }

  #refuse(): void {
    const words = 'Ask the owner of the server for a token that allows it.';
    fill(this.element, emptyState('Your token does not allow judging', words));
  }

  async ask(fen: string, orientation: Color): Promise<void> {
    this.#fen = fen;
    this.#orientation = orientation;
    if (!this.#mayJudge) return this.#refuse();
    if (!this.#assessor) return this.#askName();
    this.element.setAttribute('aria-busy', 'true');
    try {
      const pool = await this.#asker.ask('pool', { fen });
      if (!pool) return;
      const saved = await get('judgments', { fen, assessor: this.#assessor });
      this.#pool = pool;
      this.#grades = new Map(saved.map((it) => [key(it.game, it.ply), it.grade]));
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

  /** Grades the current hit and goes to the next one without a grade. */
  async grade(grade: number): Promise<void> {
    const pool = this.#pool;
    const hit = pool?.hits[this.#at];
    // A second key would grade the same hit again before the next one appears.
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
      notice(`Grade not saved: ${error instanceof Error ? error.message : error}`, 'fault');
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
    const open = (it: PooledHit) => !this.#grades.has(key(it.game.id, it.ply));
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
      'aria-describedby': 'assessor-fault',
    });
    const fault = h('p', { class: 'fault', id: 'assessor-fault', role: 'alert' });
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const name = input.value.trim();
      if (!name) {
        fault.textContent = 'Enter your name first: the grades are kept under it.';
        input.setAttribute('aria-invalid', 'true');
        return input.focus();
      }
      this.#assessor = name;
      saveName(name);
      void this.ask(this.#fen, this.#orientation);
    };
    const form = h(
      'form',
      { class: 'field', onsubmit: submit },
      input,
      h('button', { class: 'primary' }, 'Start'),
    );
    const words =
      'Grade how similar each hit is to the position on the board. The hits of several rankings are mixed ' +
      'and have no scores. The collection keeps your grades under your name.';
    fill(this.element, emptyState('How good are the answers?', words, form, fault));
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
      h('progress', { max: Math.max(1, total), value: done, 'aria-label': 'Judged hits' }),
      h('span', { role: 'status' }, `${done} of ${total} judged`),
      h('button', { type: 'button', class: 'quiet', onclick: () => this.#leave() }, `Not ${this.#assessor}?`),
    );
    const body = hit
      ? this.#one(hit)
      : emptyState(
          total ? 'All hits judged' : 'Nothing to judge',
          total
            ? 'Thank you. Play a move or paste another position to judge the next query.'
            : 'No ranking found a similar position.',
        );
    fill(this.element, head, body, this.#files());
    this.element
      .querySelector<HTMLElement>('.scale [aria-pressed=true], .scale button')
      ?.focus({ preventScroll: true });
  }

  #one(hit: PooledHit): HTMLElement {
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
        h('figure', {}, query.element, h('figcaption', {}, 'Query')),
        h(
          'figure',
          {},
          found.element,
          h('figcaption', {}, [label, occasion(hit.game)].filter(Boolean).join(' · ')),
        ),
      ),
      h('p', { class: 'next' }, 'Continuation: ', next),
      h(
        'div',
        { class: 'scale', role: 'group', 'aria-label': 'How similar is it to the query?' },
        ...buttons,
      ),
      h(
        'div',
        { class: 'tools' },
        tool('back', 'Previous hit', '', () => this.walk(-1)),
        tool('forward', 'Next hit', '', () => this.walk(1)),
      ),
    );
  }

  /** Export and import of grades, for evaluation programs. */
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
        {
          href: address('judgments/qrels', { assessor: this.#assessor }),
          download: `${this.#assessor}.qrels`,
        },
        'Export my grades',
      ),
      h('a', { href: address('judgments/qrels'), download: 'all.qrels' }, 'Export all grades'),
      h('button', { type: 'button', class: 'quiet', onclick: () => file.click() }, 'Import qrels'),
      file,
    );
  }

  async #import(file: HTMLInputElement): Promise<void> {
    const text = await file.files?.[0]?.text();
    if (!text) return;
    try {
      const { imported } = await put('judgments/qrels', { assessor: this.#assessor }, text);
      notice(`Imported ${imported} judgments.`);
      await this.ask(this.#fen, this.#orientation);
    } catch (error) {
      notice(`Import failed: ${error instanceof Error ? error.message : error}`, 'fault');
    }
  }

  #leave(): void {
    this.#assessor = '';
    saveName('');
    this.#askName();
  }
}

/** The assessor's name in this browser; without storage the page asks again. */
function loadName(): string {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

function saveName(name: string): void {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // The name is only a convenience.
  }
}
