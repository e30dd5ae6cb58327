// Making elements without a framework.

type Child = Node | string | number | undefined | null | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** An element with attributes (`onclick` and the like are listeners) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  add(element, ...children);
  return element;
}

export function add(parent: Element, ...children: Child[]): void {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, ...children);
}

/** A piece outside a board, drawn as on a board. */
export function piece(role: string, color: string): HTMLElement {
  const drawn = document.createElement('piece');
  drawn.className = `${role} ${color}`;
  return h('span', { class: 'cg-wrap still', 'aria-hidden': 'true' }, drawn);
}

const ICONS = {
  first: 'M6 5v14M19 5l-9 7 9 7z',
  back: 'M15 5l-8 7 8 7',
  forward: 'M9 5l8 7-8 7',
  last: 'M18 5v14M5 5l9 7-9 7z',
  flip: 'M7 4v14M7 4L3.5 8M7 4l3.5 4M17 20V6M17 20l-3.5-4M17 20l3.5-4',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  start: 'M4 11l8-7 8 7M6 10v10h12V10',
  close: 'M6 6l12 12M18 6L6 18',
  filter: 'M4 6h16M7 12h10M10 18h4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  compare: 'M4 5h6v14H4zM14 5h6v14h-6z',
  undo: 'M9 8H15a5 5 0 0 1 0 10H8M9 8l4-4M9 8l4 4',
  promote: 'M12 20V5M12 5l-6 6M12 5l6 6',
  comment: 'M4 5h16v11H10l-5 4v-4H4z',
  share: 'M12 15V4M12 4L8 8M12 4l4 4M5 12v8h14v-8',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1',
  attack: 'M5 19L18 6M18 6h-7M18 6v7',
  engine: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  download: 'M12 4v11M12 15l-4-4M12 15l4-4M5 20h14',
  add: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
};

export type IconName = keyof typeof ICONS;

/** A line drawing; the button's label says what it means. */
export function icon(name: IconName): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

/** A small square button with a drawing. */
export function tool(name: IconName, label: string, key: string, onclick: () => void): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  return h('button', { type: 'button', class: 'tool', title, 'aria-label': label, onclick }, icon(name));
}

export const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

export const grouped = (number: number): string => number.toLocaleString('en-US');

/** Waits until the page has been drawn once more. */
export const drawn = (): Promise<void> =>
  new Promise((done) => void requestAnimationFrame(() => setTimeout(done)));

/** Runs a single call at once, and calls in quick succession once they have stopped. */
export function patient<T extends unknown[]>(ms: number, work: (...args: T) => void): (...args: T) => void {
  const later = calm(ms, work);
  let last = -Infinity;
  return (...args) => {
    const since = performance.now() - last;
    last = performance.now();
    if (since > 3 * ms) work(...args);
    else later(...args);
  };
}

/** Runs the last call once calls have stopped for a while. */
export function calm<T extends unknown[]>(ms: number, work: (...args: T) => void): (...args: T) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}
