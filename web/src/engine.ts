// The engine beside the board: its best lines while it thinks, and what the games say of them.

import type { DrawShape } from '@lichess-org/chessground/draw';

import { address, type EngineLine } from './api';
import { arrow } from './board';
import { fill, grouped, h, icon } from './dom';
import type { Row } from './explorer';
import { moveNumber } from './words';

const KEY = 'tabiya-engine-lines';

export class EnginePanel {
  readonly element: HTMLElement;
  /** A bar beside the board: White's share of the evaluation. */
  readonly bar = h('div', { class: 'eval', role: 'img', hidden: true });
  readonly #fillOfBar = h('div', { class: 'eval-white' });
  readonly #switch: HTMLButtonElement;
  readonly #count: HTMLSelectElement;
  readonly #status = h('span', { class: 'faint' });
  readonly #list = h('ol', { class: 'lines', 'aria-label': 'Engine lines' });
  #source: EventSource | undefined;
  #lines = new Map<number, EngineLine>();
  #rows: readonly Row[] = [];
  #fen = '';
  #on = false;

  constructor(
    /** Plays the first moves of a line. */
    readonly play: (moves: string[]) => void,
    readonly draw: (shapes: DrawShape[]) => void,
  ) {
    this.bar.append(this.#fillOfBar);
    this.#switch = h(
      'button',
      {
        type: 'button',
        class: 'quiet',
        role: 'switch',
        'aria-checked': 'false',
        title: 'Engine (e)',
        onclick: () => this.toggle(),
      },
      icon('engine'),
      'Engine',
    );
    this.#count = h(
      'select',
      {
        name: 'engine-lines',
        'aria-label': 'Number of lines',
        hidden: true,
        onchange: () => this.#restart(),
      },
      ...[1, 2, 3, 4, 5].map((it) => h('option', { value: it }, it === 1 ? '1 line' : `${it} lines`)),
    );
    this.#count.value = stored();
    this.element = h(
      'section',
      { class: 'engine', 'aria-label': 'Engine' },
      h('div', { class: 'engine-head' }, this.#switch, this.#count, this.#status),
      this.#list,
    );
  }

  toggle(): void {
    this.#on = !this.#on;
    this.#switch.setAttribute('aria-checked', String(this.#on));
    this.#count.hidden = !this.#on;
    this.bar.hidden = !this.#on;
    this.#restart();
  }

  /** What the games say of moves in this position. */
  know(rows: readonly Row[]): void {
    this.#rows = rows;
    if (this.#on) this.#show();
  }

  /** Looks at another position. */
  see(fen: string): void {
    if (fen === this.#fen) return;
    this.#fen = fen;
    this.#rows = [];
    this.#restart();
  }

  #restart(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#lines.clear();
    this.#status.textContent = '';
    this.draw([]);
    fill(this.#list);
    try {
      localStorage.setItem(KEY, this.#count.value);
    } catch {
      // The number of lines is only a convenience.
    }
    if (!this.#on || !this.#fen) return;
    this.#status.textContent = 'thinking…';
    const values = { fen: this.#fen, lines: Number(this.#count.value) };
    const source = new EventSource(address('analyze', values));
    this.#source = source;
    source.addEventListener('line', (event) => this.#heard(JSON.parse(event.data as string) as EngineLine));
    source.addEventListener('end', () => source.close());
    source.addEventListener('error', () => {
      // The browser would try again and again; the reader may switch the engine on again.
      source.close();
      if (this.#lines.size === 0) this.#status.textContent = 'The engine is not available.';
    });
  }

  #heard(line: EngineLine): void {
    this.#lines.set(line.rank, line);
    this.#show();
  }

  #show(): void {
    const lines = [...this.#lines.values()].sort((one, two) => one.rank - two.rank);
    const best = lines[0];
    if (!best) return;
    this.#status.textContent = `depth ${best.depth} · ${grouped(best.nodes)} nodes`;
    fill(this.#list, ...lines.map((it) => this.#line(it)));
    const first = (it: EngineLine): DrawShape => arrow(it.uci[0] ?? '', it.rank === 1 ? 'blue' : 'green');
    this.draw(lines.slice(0, 3).map(first));
    const share = whiteShare(best);
    this.#fillOfBar.style.height = `${(100 * share).toFixed(1)}%`;
    this.bar.setAttribute('aria-label', `Evaluation ${evaluation(best)}`);
    this.bar.title = evaluation(best);
  }

  #line(line: EngineLine): HTMLElement {
    const number = moveNumber(this.#fen);
    const moves = line.san.slice(0, 10).map((san, index) => {
      const play = () => this.play(line.uci.slice(0, index + 1));
      return h('button', { type: 'button', class: 'move', onclick: play }, san);
    });
    return h(
      'li',
      {},
      h('strong', { class: 'score' }, evaluation(line)),
      h('span', { class: 'line-moves' }, h('span', { class: 'number' }, number), ...moves),
      h('span', { class: 'known faint' }, known(this.#rows.find((it) => it.uci === line.uci[0]))),
    );
  }
}

/** What memory knows of a move. */
export function known(row: Row | undefined): string {
  const here = row?.here?.games ?? 0;
  const alike = row?.alike?.games ?? 0;
  if (here) return `played ${grouped(here)}× here${alike ? `, ${grouped(alike)}× in similar positions` : ''}`;
  return alike ? `new here, ${grouped(alike)}× in similar positions` : 'never played';
}

/** The evaluation from White's view, as players write it. */
export function evaluation({ score, mate_in }: Pick<EngineLine, 'score' | 'mate_in'>): string {
  if (typeof mate_in === 'number') return `${mate_in < 0 ? '−' : ''}#${Math.abs(mate_in)}`;
  const pawns = (score ?? 0) / 100;
  return `${pawns < 0 ? '−' : '+'}${Math.abs(pawns).toFixed(2)}`;
}

/** White's part of the bar: a pawn is worth more when the game is level. */
export function whiteShare({ score, mate_in }: Pick<EngineLine, 'score' | 'mate_in'>): number {
  if (typeof mate_in === 'number') return mate_in > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-(score ?? 0) / 270));
}

function stored(): string {
  try {
    const lines = localStorage.getItem(KEY) ?? '';
    return /^[1-5]$/.test(lines) ? lines : '3';
  } catch {
    return '3';
  }
}
