// Ranking, symmetry, family weights and filters.

import type { Symmetry } from './api';
import { calm, h, icon } from './dom';
import { tidy } from './notice';
import {
  DEFAULTS,
  FAMILIES,
  LIKES,
  RANKINGS,
  RANKING_NAMES,
  SYMMETRIES,
  SYMMETRY_NAMES,
  toParameters,
  type Family,
  type Filter,
  type Like,
  type Ranking,
  type Settings,
} from './place';

const FAMILY_NAMES: Record<Family, string> = {
  place: 'same squares',
  reach: 'reachable squares',
  attack: 'attacks',
  defence: 'defenses',
  ray: 'x-rays',
};

const TEXTS: [Filter, string, string][] = [
  ['player', 'Player', 'part of a name'],
  ['elo', 'Ratings', '2400-2600'],
  ['date', 'Years', '1990-1999'],
  ['eco', 'Opening', 'B20-B99'],
  ['event', 'Event', 'part of a name'],
  ['pieces', 'Pieces', '10-20'],
  ['ply', 'Plies', '25-'],
];

/** What a label alone does not say. */
const HINTS: Partial<Record<Filter, string>> = { ply: '25- leaves openings out' };

const CHOICES: [Filter, string, [string, string][]][] = [
  [
    'result',
    'Result',
    [
      ['', 'any'],
      ['1-0', 'White won'],
      ['1/2-1/2', 'draw'],
      ['0-1', 'Black won'],
    ],
  ],
  [
    'side_to_move',
    'Side to move',
    [
      ['', 'either'],
      ['same', 'same as here'],
      ['white', 'White'],
      ['black', 'Black'],
    ],
  ],
  [
    'material',
    'Material',
    [
      ['', 'any'],
      ['same', 'same'],
      ['1', 'within 1 piece'],
      ['2', 'within 2 pieces'],
      ['4', 'within 4 pieces'],
    ],
  ],
];

export class SettingsPanel {
  readonly element: HTMLElement;
  readonly #ranking: HTMLSelectElement;
  readonly #like: HTMLSelectElement;
  readonly #deep: HTMLInputElement;
  readonly #symmetry: HTMLSelectElement;
  readonly #weights = new Map<Family, HTMLInputElement>();
  readonly #filters = new Map<Filter, HTMLInputElement | HTMLSelectElement>();
  readonly #variations: HTMLInputElement;
  readonly #count = h('span', { class: 'count', hidden: true });
  readonly #refine: HTMLButtonElement;
  readonly #body: HTMLElement;
  readonly #faults = new Map<Filter, HTMLElement>();
  #settings: Settings = DEFAULTS;

  constructor(readonly onChange: (settings: Settings) => void) {
    const change = calm(250, () => this.onChange(this.#read()));
    const now = () => this.onChange(this.#read());
    this.#ranking = select(
      'ranking',
      RANKINGS.map((it) => [it, RANKING_NAMES[it]]),
      now,
    );
    this.#like = select('like', Object.entries(LIKES), now);
    this.#deep = h('input', { type: 'checkbox', role: 'switch', name: 'deep', onchange: now });
    this.#symmetry = select(
      'symmetry',
      SYMMETRIES.map((it) => [it, SYMMETRY_NAMES[it]]),
      now,
    );
    this.#variations = h('input', {
      type: 'checkbox',
      role: 'switch',
      name: 'variations',
      onchange: now,
    });
    const reset = h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => this.onChange(DEFAULTS) },
      'Reset all',
    );
    this.#refine = h(
      'button',
      {
        type: 'button',
        class: 'quiet refine',
        title: 'Filters and weights',
        'aria-expanded': 'false',
        'aria-controls': 'refine',
        onclick: () => this.#toggle(this.#body.hidden),
      },
      icon('filter'),
      'Refine',
      this.#count,
    );
    this.#body = h(
      'div',
      { class: 'refine-body', id: 'refine', hidden: true },
      this.#filterFields(change, now),
      this.#sliders(change),
      reset,
    );
    this.element = h(
      'div',
      { class: 'settings' },
      h('label', {}, 'Ranked by ', this.#ranking),
      h('label', {}, 'What counts ', this.#like),
      this.#refine,
      this.#body,
    );
  }

  #toggle(open: boolean): void {
    this.#body.hidden = !open;
    this.#refine.setAttribute('aria-expanded', String(open));
  }

  /** Says what is wrong with a filter beside its field; returns whether there is such a field. */
  blame(message: string): boolean {
    const [, name = '', words = ''] = /^(\w+): (.*)/s.exec(message) ?? [];
    const fault = this.#faults.get(name as Filter);
    if (!fault) return false;
    fault.textContent = tidy(words);
    this.#filters.get(name as Filter)?.setAttribute('aria-invalid', 'true');
    this.#toggle(true);
    return true;
  }

  /** Takes back what was wrong. */
  praise(): void {
    for (const [name, fault] of this.#faults) {
      fault.textContent = '';
      this.#filters.get(name)?.removeAttribute('aria-invalid');
    }
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
      const fault = h('small', { class: 'fault', id: `fault-${name}`, role: 'alert' });
      input.setAttribute('aria-describedby', fault.id);
      this.#faults.set(name, fault);
      return h('div', { class: 'hinted' }, hinted(h('label', {}, label, input), input, HINTS[name]), fault);
    });
    const choices = CHOICES.map(([name, label, options]) => {
      const choice = select(name, options, now);
      this.#filters.set(name, choice);
      return h('label', {}, label, choice);
    });
    const symmetry = h('label', {}, 'Symmetry', this.#symmetry);
    const variations = hinted(
      h('label', { class: 'switch' }, this.#variations, 'Variations'),
      this.#variations,
      'search annotators’ variations too',
    );
    const deep = hinted(
      h('label', { class: 'switch' }, this.#deep, 'Best lines'),
      this.#deep,
      'compare them too: slower, better for tactics',
    );
    const fields = h('div', { class: 'fields' }, ...texts, ...choices, symmetry, variations, deep);
    return h('fieldset', {}, h('legend', {}, 'Filters'), fields);
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
      return h('label', { class: 'slider' }, h('span', {}, FAMILY_NAMES[family]), input, output);
    });
    return h('fieldset', {}, h('legend', {}, 'Weights'), ...rows);
  }

  show(settings: Settings): void {
    this.#settings = settings;
    this.#ranking.value = settings.ranking;
    this.#like.value = settings.like;
    this.#deep.checked = settings.deep;
    for (const input of this.#weights.values()) input.disabled = settings.like !== '';
    this.#symmetry.value = settings.symmetry;
    for (const [family, input] of this.#weights) {
      input.value = String(settings.weights[family]);
      const output = input.nextElementSibling;
      if (output) output.textContent = input.value;
    }
    for (const [name, input] of this.#filters) {
      // The field that has the focus keeps what the reader types.
      if (document.activeElement !== input) input.value = settings.filters[name] ?? '';
    }
    this.#variations.checked = settings.variations;
    const refined = toParameters({ ...settings, ranking: 'likeness', like: '' });
    const count = Object.keys(refined).length;
    this.#count.textContent = String(count);
    this.#count.hidden = count === 0;
  }

  #read(): Settings {
    const weights = { ...this.#settings.weights };
    for (const [family, input] of this.#weights) weights[family] = Number(input.value);
    // Weights of zero throughout would rank nothing.
    if (weights.place + weights.attack + weights.defence + weights.ray === 0) weights.place = 1;
    const filters: Partial<Record<Filter, string>> = {};
    for (const [name, input] of this.#filters) if (input.value.trim()) filters[name] = input.value.trim();
    const ranking = this.#ranking.value as Ranking;
    return {
      ranking,
      like: this.#like.value as Like,
      deep: this.#deep.checked,
      symmetry: this.#symmetry.value as Symmetry,
      weights,
      filters,
      variations: this.#variations.checked,
    };
  }
}

/** A field with a hint below it, which screen readers read after the label. */
function hinted(label: HTMLElement, field: HTMLElement, hint: string | undefined): HTMLElement {
  if (!hint) return label;
  const id = `hint-${field.getAttribute('name')}`;
  field.setAttribute(
    'aria-describedby',
    [id, field.getAttribute('aria-describedby')].filter(Boolean).join(' '),
  );
  return h('div', { class: 'hinted' }, label, h('small', { id }, hint));
}

function select(name: string, options: [string, string][], onchange: () => void): HTMLSelectElement {
  return h('select', { name, onchange }, ...options.map(([value, words]) => h('option', { value }, words)));
}
