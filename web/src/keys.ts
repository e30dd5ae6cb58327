// Keyboard shortcuts and their list.

import { h, tool } from './dom';

export interface Shortcut {
  keys: string[];
  ctrl?: boolean;
  shift?: boolean;
  words: string;
  run: (key: string) => void;
}

/** Handles shortcuts unless the reader is typing or a dialog is open. */
export function listen(shortcuts: Shortcut[]): void {
  addEventListener('keydown', (event) => {
    if (event.altKey) return;
    if (isTyping(event.target)) {
      // Escape leaves the field; then the shortcuts work again.
      if (event.key === 'Escape') (event.target as HTMLElement).blur();
      return;
    }
    if (document.querySelector('dialog[open]')) return;
    const ctrl = event.ctrlKey || event.metaKey;
    // Shift alone chooses other letters and signs; with arrows it is a shortcut of its own.
    const shift = event.shiftKey && event.key.startsWith('Arrow');
    const found = shortcuts.find(
      (it) => it.keys.includes(event.key) && Boolean(it.ctrl) === ctrl && Boolean(it.shift) === shift,
    );
    if (!found) return;
    event.preventDefault();
    found.run(event.key);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input:not([type=range]):not([type=checkbox]), select, textarea, [contenteditable]');
}

const NAMES: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

export class KeyHelp {
  readonly element: HTMLDialogElement;

  constructor(shortcuts: Shortcut[]) {
    const rows = shortcuts.map((it) =>
      h(
        'div',
        {},
        h(
          'dt',
          {},
          it.ctrl && h('kbd', {}, 'Ctrl'),
          it.shift && h('kbd', {}, 'Shift'),
          ...(it.keys.length > 3 ? [`${it.keys[0]}–${it.keys.at(-1)}`] : it.keys).map((key) =>
            h('kbd', {}, NAMES[key] ?? key),
          ),
        ),
        h('dd', {}, it.words),
      ),
    );
    const more = [
      ['Tab', 'move through cards and reasons; both boards show the focused reason'],
      ['Esc', 'leave a field'],
      ['Ctrl V', 'paste a FEN or PGN anywhere'],
      ['right-drag', 'draw an arrow'],
    ].map(([key = '', words = '']) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, words)));
    const close = tool('close', 'Close', 'Esc', () => this.element.close());
    this.element = h(
      'dialog',
      { class: 'help', 'aria-labelledby': 'help-title' },
      h('header', {}, h('h2', { id: 'help-title' }, 'Keyboard shortcuts'), close),
      h('dl', {}, ...rows, ...more),
    );
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  open(): void {
    this.element.showModal();
  }
}
