// What the reader may do on this server, and the token that allows it.

import { get } from './api';
import { fill, h } from './dom';

/** Each role includes those before it. */
const ROLES = ['read', 'judge', 'manage'] as const;
export type Role = (typeof ROLES)[number];

/** Asks for a token where the server requires one. */
export class Access {
  readonly element: HTMLDialogElement;
  readonly #token: HTMLInputElement;
  readonly #fault = h('p', { class: 'fault', role: 'alert' });
  #role: Role | undefined;

  constructor(readonly onChange: () => void) {
    this.#token = h('input', {
      name: 'token',
      'aria-label': 'Token',
      placeholder: 'Token',
      autocomplete: 'off',
      spellcheck: 'false',
      required: true,
    });
    const enter = (event: SubmitEvent) => {
      event.preventDefault();
      void this.#enter(this.#token.value.trim());
    };
    this.element = h('dialog', { class: 'access', 'aria-labelledby': 'access-title' });
    // There is nothing behind it to return to.
    this.element.addEventListener('cancel', (event) => event.preventDefault());
    fill(
      this.element,
      h('h2', { id: 'access-title' }, 'This server needs a token'),
      h('p', { class: 'faint' }, 'Open the address that “tabiya serve” printed, or enter its token here.'),
      h('form', { class: 'field', onsubmit: enter }, this.#token, h('button', { class: 'primary' }, 'Enter')),
      this.#fault,
    );
  }

  /** Whether the reader has a role. Until the server has said so, everybody may do everything. */
  may(role: Role): boolean {
    return this.#role === undefined || ROLES.indexOf(this.#role) >= ROLES.indexOf(role);
  }

  /** Learns the reader's role; without one, asks for a token. */
  async load(): Promise<void> {
    const role = await this.#ask();
    if (role === null && !this.element.open) this.element.showModal();
    if (!role) return;
    this.#role = role;
    this.onChange();
  }

  async #ask(): Promise<Role | null | undefined> {
    const answer = await get('access', {}).catch(() => undefined);
    return answer && (answer.role ?? null);
  }

  /** The page's address with a token sets a cookie, which later requests send. */
  async #enter(token: string): Promise<void> {
    await fetch(`/?token=${encodeURIComponent(token)}`).catch(() => undefined);
    const role = await this.#ask();
    if (role) location.reload();
    else this.#fault.textContent = 'This token is not valid on this server.';
  }
}
