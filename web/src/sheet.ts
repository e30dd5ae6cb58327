// The score sheet of the game on the board: moves, variations, comments, and the tools to change them.

import { GLYPHS, glyphMark, glyphs } from './annotation';
import { fill, h, tool } from './dom';
import type { Place } from './place';
import type { Store } from './store';
import { isAside, lineThrough, noteAt, promoted, withNote, without, type Node, type Path } from './tree';

/** The glyphs with a button, in the order of the keys 1 to 6. */
const BUTTONS = [1, 2, 3, 4, 5, 6];

export class Sheet {
  readonly element: HTMLElement;
  readonly #moves = h('ol', { class: 'moves line', 'aria-label': 'Moves', tabindex: 0 });
  readonly #comment = h('textarea', {
    name: 'comment',
    rows: 2,
    placeholder: 'Comment on this position',
    'aria-label': 'Comment on this position',
    hidden: true,
  });
  readonly #tools: HTMLElement;
  readonly #glyphs: HTMLButtonElement[];
  readonly #promote: HTMLButtonElement;
  readonly #remove: HTMLButtonElement;
  readonly #undo: HTMLButtonElement;

  constructor(readonly store: Store) {
    this.#glyphs = BUTTONS.map((it) => {
      const [sign, meaning] = GLYPHS[it] ?? ['', ''];
      const mark = () => this.mark(it);
      return h(
        'button',
        {
          type: 'button',
          class: 'tool sign',
          title: `${meaning} (${it})`,
          'aria-label': meaning,
          onclick: mark,
        },
        sign,
      );
    });
    this.#promote = tool('promote', 'Make this variation the main line', '', () => this.promote());
    this.#remove = tool('trash', 'Delete from this move on', 'Delete', () => this.remove());
    this.#undo = tool('undo', 'Undo', 'Ctrl Z', () => this.store.undo());
    this.#comment.addEventListener('change', () => this.#say(this.#comment.value));
    this.#tools = h(
      'div',
      { class: 'sheet-tools', role: 'toolbar', 'aria-label': 'Annotate' },
      ...this.#glyphs,
      tool('comment', 'Comment', '#', () => this.comment()),
      this.#promote,
      this.#remove,
      this.#undo,
    );
    this.element = h(
      'section',
      { class: 'sheet', 'aria-label': 'Game' },
      this.#moves,
      this.#comment,
      this.#tools,
    );
  }

  #path(): Path {
    const { line, at } = this.store.place;
    return line.moves.slice(0, at);
  }

  /** Gives the current move a glyph, or takes it away. */
  mark(glyph: number): void {
    const { tree } = this.store.place;
    const path = this.#path();
    if (path.length === 0) return;
    const known = noteAt(tree, path).glyphs;
    const others = known.filter((it) => !BUTTONS.includes(it));
    const marked = known.includes(glyph) ? others : [glyph, ...others];
    this.store.adjust({ tree: withNote(tree, path, { glyphs: marked }) });
  }

  comment(): void {
    this.#comment.hidden = false;
    this.#comment.focus();
  }

  #say(comment: string): void {
    const { tree } = this.store.place;
    this.store.adjust({ tree: withNote(tree, this.#path(), { comment: comment.trim() }) });
  }

  promote(): void {
    const { tree, at } = this.store.place;
    const path = this.#path();
    const changed = promoted(tree, path);
    if (changed !== tree) this.store.go({ tree: changed, line: lineThrough(changed, path), at });
  }

  remove(): void {
    const { tree } = this.store.place;
    const path = this.#path();
    if (path.length === 0) return;
    const changed = without(tree, path);
    const before = path.slice(0, -1);
    this.store.go({ tree: changed, line: lineThrough(changed, before), at: before.length });
  }

  show(place: Place): void {
    const path = place.line.moves.slice(0, place.at);
    const note = noteAt(place.tree, path);
    const fields = place.tree.fen.split(' ');
    const offset = (Number(fields[5] ?? 1) - 1) * 2 + (fields[1] === 'b' ? 1 : 0);
    const writer = new Writer(path, offset, (to) =>
      this.store.adjust({ line: lineThrough(this.store.place.tree, to), at: to.length }),
    );
    const opening = place.tree.note.comment;
    fill(
      this.#moves,
      opening && h('li', { class: 'noted' }, said(opening)),
      ...writer.write(place.tree.children, [], true),
    );
    this.#moves.hidden = place.tree.children.length === 0;
    this.#tools.hidden = place.tree.children.length === 0 && !this.store.canUndo;
    for (const [index, button] of this.#glyphs.entries()) {
      button.setAttribute('aria-pressed', String(note.glyphs.includes(BUTTONS[index] ?? 0)));
      button.disabled = path.length === 0;
    }
    this.#promote.disabled = !isAside(place.tree, path);
    this.#remove.disabled = path.length === 0;
    this.#undo.disabled = !this.store.canUndo;
    if (document.activeElement !== this.#comment) {
      this.#comment.value = note.comment;
      this.#comment.hidden = note.comment === '';
    }
    this.#reveal();
  }

  /** Scrolls the list, not the page, to the current move. */
  #reveal(): void {
    const current = this.#moves.querySelector<HTMLElement>('[aria-current]');
    if (!current) return void (this.#moves.scrollTop = 0);
    const [list, move] = [this.#moves.getBoundingClientRect(), current.getBoundingClientRect()];
    if (move.top < list.top) this.#moves.scrollTop -= list.top - move.top;
    else if (move.bottom > list.bottom) this.#moves.scrollTop += move.bottom - list.bottom;
  }
}

/** Writes moves as list items: the main line, and its variations in lists of their own. */
class Writer {
  constructor(
    readonly current: Path,
    readonly offset: number,
    readonly go: (path: Path) => void,
  ) {}

  write(children: readonly Node[], before: Path, isFirst: boolean): HTMLElement[] {
    const items: HTMLElement[] = [];
    let [level, path, numbered]: [readonly Node[], Path, boolean] = [children, before, isFirst];
    while (level[0]) {
      const [main, ...others]: readonly Node[] = level;
      if (!main) break;
      items.push(this.#item(main, [...path, main.uci], numbered));
      const asides = others.map((it) => this.#aside(it, path));
      items.push(...asides);
      numbered = asides.length > 0 || main.comment !== '';
      path = [...path, main.uci];
      level = main.children;
    }
    return items;
  }

  #aside(node: Node, path: Path): HTMLElement {
    const rest = this.write(node.children, [...path, node.uci], node.comment !== '');
    return h(
      'li',
      { class: 'aside-line' },
      h(
        'ol',
        { class: 'moves', 'aria-label': `Variation ${node.san}` },
        this.#item(node, [...path, node.uci], true),
        ...rest,
      ),
    );
  }

  #item(node: Node, path: Path, numbered: boolean): HTMLElement {
    const half = path.length - 1 + this.offset;
    const number = half % 2 === 0 ? `${half / 2 + 1}.` : numbered ? `${(half - 1) / 2 + 1}…` : '';
    const current = path.length === this.current.length && path.every((it, at) => it === this.current[at]);
    return h(
      'li',
      { class: node.comment || node.opening ? 'noted' : undefined },
      node.opening && said(node.opening),
      number && h('span', { class: 'number' }, number),
      h(
        'button',
        { type: 'button', 'aria-current': current ? 'step' : undefined, onclick: () => this.go(path) },
        node.san,
        ...glyphs(node.glyphs).map(glyphMark),
      ),
      node.comment && said(node.comment),
    );
  }
}

const said = (words: string): HTMLElement => h('span', { class: 'remark', dir: 'auto' }, words);
