// How the page looks and sounds in this browser: colors, pieces, sound, and the size of the board.

import { h, tool } from './dom';

const KEY = 'tabiya-look';

const CHOICES = {
  theme: { title: 'Colors', values: { system: 'like the system', light: 'light', dark: 'dark' } },
  board: { title: 'Board', values: { sage: 'sage', wood: 'wood', sea: 'sea', slate: 'slate' } },
  pieces: { title: 'Pieces', values: { cburnett: 'classic', figurine: 'figurines', letter: 'letters' } },
  coordinates: { title: 'Coordinates', values: { on: 'beside the board', off: 'none' } },
  sound: { title: 'Sound', values: { off: 'off', on: 'on' } },
} as const;
type Choice = keyof typeof CHOICES;
const NAMES = Object.keys(CHOICES) as Choice[];

/** The board's size in pixels that the reader chose; 0 fits it to the window. */
type Stored = Partial<Record<Choice, string>> & { size?: number };

export class Look {
  readonly element: HTMLDialogElement;
  #stored: Stored = load();
  #audio: AudioContext | undefined;

  constructor(readonly onSize: () => void) {
    const rows = NAMES.map((name) => {
      const { title, values } = CHOICES[name];
      const options = Object.entries(values).map(([value, words]) => h('option', { value }, words));
      const choice: HTMLSelectElement = h(
        'select',
        { name: `look-${name}`, onchange: () => this.#set({ [name]: choice.value }) },
        ...options,
      );
      choice.value = this.#value(name);
      return h('label', {}, title, choice);
    });
    const close = tool('close', 'Close', 'Esc', () => this.element.close());
    const fit = () => this.#set({ size: 0 });
    this.element = h(
      'dialog',
      { class: 'look', 'aria-labelledby': 'look-title' },
      h('header', {}, h('h2', { id: 'look-title' }, 'Board and sound'), close),
      h('div', { class: 'look-rows' }, ...rows),
      h('p', { class: 'faint' }, 'Drag the lower right corner of the board to change its size.'),
      h('button', { type: 'button', class: 'quiet', onclick: fit }, 'Fit the board to the window'),
    );
    this.#apply();
  }

  open(): void {
    this.element.showModal();
  }

  /** A corner that the reader drags, or moves with the arrow keys. */
  handle(board: HTMLElement): HTMLElement {
    const corner = h('div', {
      class: 'corner',
      role: 'slider',
      tabindex: 0,
      'aria-label': 'Size of the board',
      'aria-valuemin': 240,
      'aria-valuemax': 1200,
      title: 'Drag to change the size of the board',
    });
    const width = () => board.getBoundingClientRect().width;
    corner.addEventListener('pointerdown', (event) => {
      const [from, first] = [event.clientX, width()];
      corner.setPointerCapture(event.pointerId);
      corner.onpointermove = (move) => this.#set({ size: first + move.clientX - from });
      corner.onpointerup = () => (corner.onpointermove = null);
      event.preventDefault();
    });
    corner.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -8, ArrowUp: -8, ArrowRight: 8, ArrowDown: 8 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.#set({ size: width() + step });
    });
    const note = () => corner.setAttribute('aria-valuenow', String(Math.round(width())));
    new ResizeObserver(note).observe(board);
    return corner;
  }

  /** A short knock for a move, if sound is on. */
  knock(): void {
    if (this.#value('sound') !== 'on') return;
    this.#audio ??= new AudioContext();
    const { currentTime: now, destination } = this.#audio;
    const [tone, volume] = [this.#audio.createOscillator(), this.#audio.createGain()];
    tone.frequency.setValueAtTime(320, now);
    tone.frequency.exponentialRampToValueAtTime(90, now + 0.07);
    volume.gain.setValueAtTime(0.25, now);
    volume.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
    tone.connect(volume).connect(destination);
    tone.start(now);
    tone.stop(now + 0.1);
  }

  #value(name: Choice): string {
    const stored = this.#stored[name];
    return stored && stored in CHOICES[name].values ? stored : (Object.keys(CHOICES[name].values)[0] ?? '');
  }

  #set(change: Stored): void {
    this.#stored = { ...this.#stored, ...change };
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#stored));
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
    this.#apply();
  }

  #apply(): void {
    const root = document.documentElement;
    for (const name of NAMES) root.dataset[name] = this.#value(name);
    const size = this.#stored.size ?? 0;
    if (size > 0) {
      // Squares of whole pixels.
      const fit = Math.max(240, Math.min(1200, 8 * Math.round(size / 8)));
      root.style.setProperty('--board', `${fit}px`);
    } else root.style.removeProperty('--board');
    this.onSize();
  }
}

function load(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch {
    return {};
  }
}
