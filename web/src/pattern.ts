// The pattern board: draw what a position should have, or write it as a query; both change together.

import { fill, h, icon, piece, tool } from './dom';
import { BLANK, attacked, inWords, marked, nameOf, read, write, type Drawing, type Wish } from './drawing';
import { Saved } from './saved';

const ROLES: Record<string, string> = {
  k: 'king',
  q: 'queen',
  r: 'rook',
  b: 'bishop',
  n: 'knight',
  p: 'pawn',
};
const PALETTES = ['KQRBNPA', 'kqrbnpa'];
const SPACE = 'http://www.w3.org/2000/svg';

/** What a click on a square does: a letter of a wish, or an attack from one square to the next. */
type Tool = string | 'attack';

export class PatternBoard {
  readonly element: HTMLElement;
  readonly #squares = new Map<string, HTMLButtonElement>();
  readonly #arrows = document.createElementNS(SPACE, 'svg');
  readonly #text: HTMLTextAreaElement;
  readonly #note = h('p', { class: 'faint', role: 'status' });
  readonly #tools = new Map<Tool, HTMLButtonElement>();
  readonly #not: HTMLInputElement;
  readonly #turn: HTMLSelectElement;
  readonly #colors: HTMLInputElement;
  readonly #sides: HTMLInputElement;
  readonly #plies: HTMLInputElement;
  #tool: Tool = 'P';
  #from: string | undefined;
  #drawing: Drawing = BLANK;

  constructor(readonly onChange: (query: string) => void) {
    const change = () => this.#set(this.#options(this.#drawing));
    const box = (name: string, words: string) => {
      const input = h('input', { type: 'checkbox', name, onchange: change });
      return [input, h('label', {}, input, words)] as const;
    };
    const [not, notLabel] = box('pattern-not', 'must not be there');
    const [colors, colorsLabel] = box('pattern-colors', 'either color');
    const [sides, sidesLabel] = box('pattern-sides', 'either side of the board');
    [this.#not, this.#colors, this.#sides] = [not, colors, sides];
    this.#not.onchange = null;
    this.#turn = h(
      'select',
      { name: 'pattern-turn', onchange: change },
      ...[
        ['', 'either side'],
        ['wtm', 'White'],
        ['btm', 'Black'],
      ].map(([value, words]) => h('option', { value }, words)),
    );
    this.#plies = h('input', {
      type: 'number',
      name: 'pattern-plies',
      min: 1,
      max: 40,
      value: 1,
      onchange: change,
    });
    this.#text = h('textarea', {
      name: 'pattern',
      rows: 3,
      spellcheck: 'false',
      autocomplete: 'off',
      placeholder: 'Pd4 not [Pp]c-e5 … or @iqp',
      'aria-label': 'Query',
      oninput: () => this.onChange(this.#text.value),
    });
    this.#arrows.setAttribute('viewBox', '0 0 8 8');
    this.#arrows.setAttribute('aria-hidden', 'true');
    const saved = new Saved(
      () => this.#text.value.trim(),
      (query) => this.onChange(query),
    );
    this.element = h(
      'section',
      { class: 'pattern', 'aria-label': 'Pattern' },
      h(
        'div',
        { class: 'pattern-draw' },
        h('div', { class: 'pattern-board' }, this.#grid(), this.#arrows),
        h(
          'div',
          { class: 'pattern-tools' },
          ...PALETTES.map((it) =>
            h('div', { class: 'palettes' }, ...[...it].map((letter) => this.#choice(letter))),
          ),
          h(
            'div',
            { class: 'palettes' },
            this.#choice('_'),
            this.#choice('attack'),
            tool('trash', 'Clear the pattern', '', () => this.onChange('')),
          ),
          h('div', { class: 'pattern-options' }, notLabel, colorsLabel, sidesLabel),
          h('div', { class: 'pattern-options' }, h('label', {}, 'To move ', this.#turn)),
          h('div', { class: 'pattern-options' }, h('label', {}, 'For plies ', this.#plies)),
        ),
      ),
      h('div', { class: 'pattern-text' }, this.#text, saved.element),
      this.#note,
    );
    this.#choose('P');
  }

  /** Shows a query, drawn as far as the board can. */
  show(query: string): void {
    if (document.activeElement !== this.#text || this.#text.value.trim() !== query.trim())
      this.#text.value = query;
    const drawing = read(query);
    this.#note.textContent = drawing ? '' : 'The board cannot draw all of this query; the text counts.';
    this.#drawing = drawing ?? BLANK;
    this.#turn.value = this.#drawing.turn;
    this.#colors.checked = this.#drawing.colors;
    this.#sides.checked = this.#drawing.sides;
    // An answer that comes while the number is written leaves it alone.
    if (document.activeElement !== this.#plies) this.#plies.value = String(this.#drawing.plies);
    this.#draw();
  }

  /** The drawing with the options beside the board. */
  #options(drawing: Drawing): Drawing {
    const plies = Math.max(1, Math.min(40, Math.round(Number(this.#plies.value)) || 1));
    const turn = this.#turn.value as Drawing['turn'];
    return { ...drawing, turn, colors: this.#colors.checked, sides: this.#sides.checked, plies };
  }

  #set(drawing: Drawing): void {
    this.onChange(write(drawing));
  }

  #choice(which: Tool): HTMLButtonElement {
    const label = which === 'attack' ? 'Attack: click the attacker, then the square' : nameOf(which);
    const button = h(
      'button',
      {
        type: 'button',
        class: 'palette',
        title: label,
        'aria-label': label,
        'aria-pressed': 'false',
        onclick: () => this.#choose(which),
      },
      which === 'attack' ? icon('attack') : sign(which),
    );
    this.#tools.set(which, button);
    return button;
  }

  #choose(which: Tool): void {
    this.#tool = which;
    this.#from = undefined;
    for (const [it, button] of this.#tools) button.setAttribute('aria-pressed', String(it === which));
  }

  #grid(): HTMLElement {
    const rows = [8, 7, 6, 5, 4, 3, 2, 1].flatMap((rank) =>
      [...'abcdefgh'].map((file, index) => {
        const name = `${file}${rank}`;
        const shade = (rank + index) % 2 ? 'dark' : 'light';
        const button = h('button', {
          type: 'button',
          class: shade,
          'data-square': name,
          onclick: () => this.#click(name),
        });
        this.#squares.set(name, button);
        return button;
      }),
    );
    return h('div', { class: 'pattern-grid', role: 'group', 'aria-label': 'Squares' }, ...rows);
  }

  #click(square: string): void {
    if (this.#tool !== 'attack')
      return this.#set(this.#options(marked(this.#drawing, square, this.#tool, this.#not.checked)));
    const from = this.#from;
    this.#from = from === undefined ? square : undefined;
    if (from !== undefined && from !== square)
      this.#set(this.#options(attacked(this.#drawing, from, square)));
    else this.#draw();
  }

  #draw(): void {
    for (const [name, button] of this.#squares) {
      const wish = this.#drawing.wishes.get(name);
      button.setAttribute('aria-label', wish ? `${name}: ${inWords(wish)}` : name);
      button.classList.toggle('from', name === this.#from);
      button.classList.toggle('not', wish?.not ?? false);
      fill(button, ...(wish ? signs(wish) : []));
    }
    this.#arrows.replaceChildren(...this.#drawing.attacks.map(([from, to]) => line(from, to)));
  }
}

/** A letter as a piece, or as a sign where it stands for several. */
function sign(letter: string): HTMLElement {
  const role = ROLES[letter.toLowerCase()];
  if (role) return piece(role, letter === letter.toUpperCase() ? 'white' : 'black');
  const kind = letter === '_' ? 'nothing' : letter === 'A' ? 'white' : 'black';
  return h('span', { class: `joker ${kind}`, 'aria-hidden': 'true' }, kind === 'nothing' ? '∅' : '★');
}

const signs = ({ letters }: Wish): HTMLElement[] =>
  [...letters].map((it) => h('span', { class: `wish of-${Math.min(4, letters.length)}` }, sign(it)));

function line(from: string, to: string): SVGElement {
  const middle = (square: string): [number, number] => [
    'abcdefgh'.indexOf(square.charAt(0)) + 0.5,
    8.5 - Number(square.charAt(1)),
  ];
  const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
  const drawn = document.createElementNS(SPACE, 'path');
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [hx, hy] = [x2 - 0.3 * ux, y2 - 0.3 * uy];
  drawn.setAttribute(
    'd',
    `M${x1} ${y1}L${hx} ${hy}M${hx + 0.18 * uy} ${hy - 0.18 * ux}L${x2} ${y2}L${hx - 0.18 * uy} ${hy + 0.18 * ux}`,
  );
  return drawn;
}
