// Ranking, weights of the families, and filters.

import { calm, h, icon } from './dom';
import {
  DEFAULTS,
  FAMILIES,
  RANKINGS,
  SYMMETRIES,
  settingsToParts,
  type Family,
  type Filter,
  type Ranking,
  type Settings,
  type Symmetry,
} from './place';

const RANKING_WORDS: Record<Ranking, string> = {
  retrieval: 'looks (retrieval)',
  continuations: 'play: continuations',
  structural: 'play: structure',
  freedom: 'play: freedom',
  blend: 'looks and play',
};

const SYMMETRY_WORDS: Record<Symmetry, string> = {
  none: 'as it is',
  swap: 'also colors swapped',
  mirror: 'also mirrored',
  all: 'also both',
};

const FAMILY_WORDS: Record<Family, string> = {
  place: 'same squares',
  reach: 'in reach',
  attack: 'attacks',
  defence: 'defences',
  ray: 'x-rays',
};

const TEXTS: [Filter, string, string][] = [
  ['player', 'Player', 'part of a name'],
  ['elo', 'Ratings', '2400-2600'],
  ['date', 'Years', '1990-1999'],
  ['eco', 'Opening', 'B20-B99'],
  ['event', 'Event', 'part of a name'],
  ['pieces', 'Pieces', '10-20'],
];

const CHOICES: [Filter, string, [string, string][]][] = [
  [
    'result',
    'Result',
    [
      ['', 'any'],
      ['1-0', 'White won'],
      ['1/2-1/2', 'drawn'],
      ['0-1', 'Black won'],
    ],
  ],
  [
    'side_to_move',
    'To move',
    [
      ['', 'either'],
      ['same', 'same side'],
      ['white', 'White'],
      ['black', 'Black'],
    ],
  ],
  [
    'material',
    'Material',
    [
      ['', 'any'],
      ['same', 'the same'],
      ['1', 'one piece off'],
      ['2', 'two off'],
      ['4', 'four off'],
    ],
  ],
];

export class SettingsPanel {
  readonly element: HTMLElement;
  readonly #ranking: HTMLSelectElement;
  readonly #symmetry: HTMLSelectElement;
  readonly #weights = new Map<Family, HTMLInputElement>();
  readonly #filters = new Map<Filter, HTMLInputElement | HTMLSelectElement>();
  readonly #count = h('span', { class: 'count', hidden: true });
  readonly #details: HTMLDetailsElement;
  #settings: Settings = DEFAULTS;

  constructor(readonly onChange: (settings: Settings) => void) {
    const change = calm(250, () => this.onChange(this.#read()));
    const now = () => this.onChange(this.#read());
    this.#ranking = select(
      'ranking',
      RANKINGS.map((it) => [it, RANKING_WORDS[it]]),
      now,
    );
    this.#symmetry = select(
      'symmetry',
      SYMMETRIES.map((it) => [it, SYMMETRY_WORDS[it]]),
      now,
    );
    const reset = h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => this.onChange(DEFAULTS) },
      'Reset all',
    );
    const summary = h('summary', { title: 'Filters and weights' }, icon('filter'), 'Refine', this.#count);
    this.#details = h(
      'details',
      { class: 'refine' },
      summary,
      h('div', { class: 'refine-body' }, this.#filterFields(change, now), this.#sliders(change), reset),
    );
    this.element = h(
      'div',
      { class: 'settings' },
      h('label', {}, 'Ranked by ', this.#ranking),
      h('label', {}, 'Seen ', this.#symmetry),
      this.#details,
    );
  }

  #filterFields(change: () => void, now: () => void): HTMLElement {
    const texts = TEXTS.map(([name, label, placeholder]) => {
      const input = h('input', {
        name,
        placeholder,
        autocomplete: 'off',
        spellcheck: 'false',
        oninput: change,
      });
      this.#filters.set(name, input);
      return h('label', {}, label, input);
    });
    const choices = CHOICES.map(([name, label, options]) => {
      const choice = select(name, options, now);
      this.#filters.set(name, choice);
      return h('label', {}, label, choice);
    });
    return h(
      'fieldset',
      {},
      h('legend', {}, 'Only games and positions with'),
      h('div', { class: 'fields' }, ...texts, ...choices),
    );
  }

  #sliders(change: () => void): HTMLElement {
    const rows = FAMILIES.map((family) => {
      const output = h('output', {}, '1');
      const show = () => {
        output.textContent = input.value;
        change();
      };
      const input = h('input', {
        type: 'range',
        min: 0,
        max: 3,
        step: 0.25,
        value: 1,
        name: `weight-${family}`,
        oninput: show,
      });
      this.#weights.set(family, input);
      return h('label', { class: 'slider' }, h('span', {}, FAMILY_WORDS[family]), input, output);
    });
    return h('fieldset', {}, h('legend', {}, 'What counts'), ...rows);
  }

  show(settings: Settings): void {
    this.#settings = settings;
    this.#ranking.value = settings.ranking;
    this.#symmetry.value = settings.symmetry;
    for (const [family, input] of this.#weights) {
      input.value = String(settings.weights[family]);
      const output = input.nextElementSibling;
      if (output) output.textContent = input.value;
    }
    for (const [name, input] of this.#filters) {
      // Whoever is typing is not interrupted.
      if (document.activeElement !== input) input.value = settings.filters[name] ?? '';
    }
    const refined = settingsToParts({ ...settings, ranking: 'retrieval', symmetry: 'swap' }).length;
    this.#count.textContent = String(refined);
    this.#count.hidden = refined === 0;
  }

  #read(): Settings {
    const weights = { ...this.#settings.weights };
    for (const [family, input] of this.#weights) weights[family] = Number(input.value);
    // Everything at zero ranks nothing.
    if (weights.place + weights.attack + weights.defence + weights.ray === 0) weights.place = 1;
    const filters: Partial<Record<Filter, string>> = {};
    for (const [name, input] of this.#filters) if (input.value.trim()) filters[name] = input.value.trim();
    const ranking = this.#ranking.value as Ranking;
    return { ranking, symmetry: this.#symmetry.value as Symmetry, weights, filters };
  }
}

function select(name: string, options: [string, string][], onchange: () => void): HTMLSelectElement {
  return h('select', { name, onchange }, ...options.map(([value, words]) => h('option', { value }, words)));
}
