// A button that opens a list of commands.

import { h, icon, type IconName } from './dom';

export type Command = [words: string, run: () => void];

export function menu(name: IconName, label: string, commands: readonly Command[]): HTMLElement {
  const close = () => box.removeAttribute('open');
  const items = commands.map(([words, run]) => {
    const act = () => {
      close();
      run();
    };
    return h('li', {}, h('button', { type: 'button', onclick: act }, words));
  });
  const box = h(
    'details',
    { class: 'menu' },
    h('summary', { class: 'tool', title: label, 'aria-label': label }, icon(name)),
    h('ul', {}, ...items),
  );
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !box.open) return;
    close();
    box.querySelector('summary')?.focus();
  });
  addEventListener('pointerdown', (event) => {
    if (event.target instanceof Node && !box.contains(event.target)) close();
  });
  return box;
}
