// Messages to the reader: short notices, and what replaces a missing answer.

import { Outage, Rejection } from './api';
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

/** A message in place of an answer. */
export function emptyState(title: string, ...more: (string | Node)[]): HTMLElement {
  const words = more.map((it) => (typeof it === 'string' ? h('p', {}, it) : it));
  return h('div', { class: 'empty' }, h('h3', {}, title), ...words);
}

/** An error in place of an answer. */
export function faultState(error: unknown, again: () => void): HTMLElement {
  const retry = h('button', { type: 'button', class: 'quiet', onclick: again }, 'Try again');
  if (error instanceof Outage) {
    const words = 'The page retries as soon as the server is back. Start it with “tabiya serve”.';
    return emptyState('The server is not responding', words, retry);
  }
  if (error instanceof Rejection) return emptyState('The request failed', tidy(error.message), retry);
  return emptyState('Something went wrong', String(error), retry);
}

/** The server's message as a sentence. */
export function tidy(message: string): string {
  const end = /[.!?…]$/.test(message) ? '' : '.';
  return message.charAt(0).toUpperCase() + message.slice(1) + end;
}
