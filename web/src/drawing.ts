// A pattern as drawn on a board, and as a query in words. The board can draw a part of the language.

/** What a square should hold: one of these letters, or none of them. `A` any white, `a` any black, `_` empty. */
export interface Wish {
  readonly letters: string;
  readonly not: boolean;
}

export interface Drawing {
  /** By square, such as `e4`. */
  readonly wishes: ReadonlyMap<string, Wish>;
  /** Attacks, each from a square to a square. */
  readonly attacks: readonly (readonly [string, string])[];
  readonly turn: '' | 'wtm' | 'btm';
  /** Whether the same pattern with colors swapped counts too. */
  readonly colors: boolean;
  /** Whether the same pattern mirrored from side to side counts too. */
  readonly sides: boolean;
  /** The number of consecutive positions that must match. */
  readonly plies: number;
}

export const BLANK: Drawing = {
  wishes: new Map(),
  attacks: [],
  turn: '',
  colors: false,
  sides: false,
  plies: 1,
};

/** The drawing as a query. */
export function write(drawing: Drawing): string {
  const parts: string[] = drawing.turn ? [drawing.turn] : [];
  for (const [square, { letters, not }] of [...drawing.wishes].sort()) {
    const pieces = letters.length === 1 ? letters : `[${letters}]`;
    parts.push(`${not ? 'not ' : ''}${pieces}${square}`);
  }
  parts.push(...drawing.attacks.map(([from, to]) => `${from}->${to}`));
  if (parts.length === 0) return '';
  const isWrapped = drawing.colors || drawing.sides || drawing.plies > 1;
  let text = parts.join(' ');
  if (isWrapped) text = `{${text}}`;
  if (drawing.sides) text = `flipvertical ${text}`;
  if (drawing.colors) text = `flipcolor ${text}`;
  if (drawing.plies > 1) {
    const step = drawing.colors || drawing.sides ? `{${text}}` : text;
    text = `line --> ${step}{${drawing.plies}}`;
  }
  return text;
}

const PART = /^(?:(not)\s+)?(?:\[([KQRBNPAkqrbnpa_]+)\]|([KQRBNPAkqrbnpa_]))([a-h][1-8])$/;
const ATTACK = /^([a-h][1-8])->([a-h][1-8])$/;

/** The drawing of a query; undefined if the board cannot draw all of it. */
export function read(text: string): Drawing | undefined {
  let rest = text.trim();
  if (rest === '') return BLANK;
  let plies = 1;
  const repeated = /^line\s*-->\s*(.*)\{(\d{1,2})\}$/s.exec(rest);
  if (repeated) {
    plies = Number(repeated[2]);
    rest = unwrapped(repeated[1] ?? '') ?? '';
    if (!rest || plies < 2) return undefined;
  }
  let [colors, sides] = [false, false];
  for (let found = /^(flipcolor|flipvertical)\s+(.*)$/s.exec(rest); found;) {
    if (found[1] === 'flipcolor') colors = true;
    else sides = true;
    rest = (found[2] ?? '').trim();
    found = /^(flipcolor|flipvertical)\s+(.*)$/s.exec(rest);
  }
  if (colors || sides || rest.startsWith('{')) rest = unwrapped(rest) ?? '?';
  return parts(rest, { ...BLANK, colors, sides, plies });
}

/** The inside of braces that enclose everything. */
function unwrapped(text: string): string | undefined {
  const inner = /^\{(.*)\}$/s.exec(text.trim())?.[1];
  if (inner === undefined) return undefined;
  let depth = 0;
  for (const it of inner) {
    if (it === '{') depth++;
    if (it === '}' && --depth < 0) return undefined;
  }
  return depth === 0 ? inner.trim() : undefined;
}

function parts(text: string, drawing: Drawing): Drawing | undefined {
  const wishes = new Map<string, Wish>();
  const attacks: [string, string][] = [];
  let turn: Drawing['turn'] = '';
  const words = text.replace(/\bnot\s+/g, 'not ').match(/not \S+|\S+/g) ?? [];
  for (const word of words) {
    const [, not, several, one, square] = PART.exec(word) ?? [];
    const [, from, to] = ATTACK.exec(word) ?? [];
    if (square && !wishes.has(square))
      wishes.set(square, { letters: several ?? one ?? '', not: Boolean(not) });
    else if (from && to) attacks.push([from, to]);
    else if ((word === 'wtm' || word === 'btm') && !turn) turn = word;
    else return undefined;
  }
  return { ...drawing, wishes, attacks, turn };
}

/** The drawing after a click on a square with a letter: the letter is added, or taken away. */
export function marked(drawing: Drawing, square: string, letter: string, not: boolean): Drawing {
  const wishes = new Map(drawing.wishes);
  const known = wishes.get(square);
  const old = known && known.not === not ? known.letters : '';
  const letters = old.includes(letter) ? old.replace(letter, '') : old + letter;
  if (letters) wishes.set(square, { letters, not });
  else wishes.delete(square);
  return { ...drawing, wishes };
}

/** The drawing with an attack, or without it if it had it. */
export function attacked(drawing: Drawing, from: string, to: string): Drawing {
  const others = drawing.attacks.filter((it) => it[0] !== from || it[1] !== to);
  const had = others.length < drawing.attacks.length;
  return { ...drawing, attacks: had ? others : [...others, [from, to]] };
}

const NAMES: Record<string, string> = {
  K: 'white king',
  Q: 'white queen',
  R: 'white rook',
  B: 'white bishop',
  N: 'white knight',
  P: 'white pawn',
  A: 'any white piece',
  k: 'black king',
  q: 'black queen',
  r: 'black rook',
  b: 'black bishop',
  n: 'black knight',
  p: 'black pawn',
  a: 'any black piece',
  _: 'empty',
};

/** A letter in words. */
export const nameOf = (letter: string): string => NAMES[letter] ?? letter;

/** A wish in words. */
export const inWords = ({ letters, not }: Wish): string =>
  (not ? 'not ' : '') + [...letters].map(nameOf).join(' or ');
