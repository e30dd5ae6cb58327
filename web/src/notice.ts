// Words for the reader: short notices, and the states in which there is nothing to show.

import { Away, Refused } from './api';
import { h } from './dom';

const notices = h('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });

export function mountNotices(): HTMLElement {
  return notices;
}

/** Shows a notice for a while. */
export function notice(text: string, kind: 'note' | 'fault' = 'note'): void {
  const close = h('button', { type: 'button', 'aria-label': 'Close', onclick: () => box.remove() }, '×');
  const box = h('div', { class: `notice ${kind}` }, h('span', {}, text), close);
  notices.replaceChildren(box);
  setTimeout(() => box.remove(), kind === 'fault' ? 9000 : 5000);
}

/** What stands where an answer would. */
export function emptyState(title: string, ...more: (string | Node)[]): HTMLElement {
  const words = more.map((it) => (typeof it === 'string' ? h('p', {}, it) : it));
  return h('div', { class: 'empty' }, h('h3', {}, title), ...words);
}

/** An error where an answer would stand. */
export function faultState(error: unknown, again: () => void): HTMLElement {
  const retry = h('button', { type: 'button', class: 'quiet', onclick: again }, 'Try again');
  if (error instanceof Away) {
    const words = 'It will be asked again as soon as it is back. “tabiya serve” starts it.';
    return emptyState('The server does not answer', words, retry);
  }
  if (error instanceof Refused) return emptyState('That could not be answered', tidy(error.message), retry);
  return emptyState('Something went wrong', String(error), retry);
}

/** The server's words as a sentence. */
function tidy(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1) + '.';
}
