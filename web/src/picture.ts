// A small board that shows a position. It is made of plain elements that never measure themselves: a list has dozens.

import type { DrawShape } from '@lichess-org/chessground/draw';
import type { Color } from '@lichess-org/chessground/types';
import { parseBoardFen } from 'chessops/fen';
import { makeSquare } from 'chessops/util';

import { BRUSHES, showTurn, type Tints } from './board';
import { h } from './dom';

const SVG = 'http://www.w3.org/2000/svg';

export class Picture {
  readonly element: HTMLElement;
  readonly #squares = document.createElement('div');
  readonly #pieces = document.createElement('cg-board');
  readonly #turn = h('span', { class: 'turn' });
  #drawing: SVGElement | undefined;
  #orientation: Color = 'white';

  /** The label describes the position to screen readers. */
  constructor(fen: string, orientation: Color, label: string) {
    this.#squares.className = 'tints';
    const inner = h('div', { class: 'cg-wrap' }, this.#pieces);
    this.element = h('div', { class: 'picture', role: 'img', 'aria-label': label }, inner, this.#turn);
    this.show(fen, orientation);
  }

  show(fen: string, orientation: Color, lastMove: readonly string[] = []): void {
    this.#orientation = orientation;
    showTurn(this.#turn, fen, orientation);
    const board = parseBoardFen(fen.split(' ')[0] ?? '');
    const pieces: HTMLElement[] = [];
    if (board.isOk) {
      for (const [square, { role, color }] of board.value) {
        const piece = document.createElement('piece');
        piece.className = `${role} ${color}`;
        pieces.push(this.#put(piece, makeSquare(square)));
      }
    }
    this.#pieces.replaceChildren(this.#squares, ...pieces);
    this.tint(new Map(lastMove.map((it) => [it, 'last-move'])));
  }

  /** Colors squares. */
  tint(tints: Tints): void {
    const squares = [...tints].map(([name, kind]) => {
      const square = document.createElement('square');
      square.className = kind;
      return this.#put(square, name);
    });
    this.#squares.replaceChildren(...squares);
  }

  /** Draws arrows and rings. */
  draw(shapes: readonly DrawShape[]): void {
    this.#drawing?.remove();
    if (shapes.length === 0) return;
    const drawing = element('svg', { class: 'cg-shapes', viewBox: '0 0 8 8' });
    for (const { orig, dest, brush = 'green' } of shapes) {
      const { color, opacity } = BRUSHES[brush] ?? BRUSHES['green'];
      const group = element('g', { stroke: color, opacity });
      group.append(...(dest ? this.#arrow(orig, dest, color) : [this.#ring(orig)]));
      drawing.append(group);
    }
    this.#drawing = drawing;
    this.#pieces.after(drawing);
  }

  /** The column and the row of a square, from the upper left corner. */
  #place(square: string): [number, number] {
    const [file, rank] = [square.charCodeAt(0) - 97, square.charCodeAt(1) - 49];
    return this.#orientation === 'white' ? [file, 7 - rank] : [7 - file, rank];
  }

  #put(it: HTMLElement, square: string): HTMLElement {
    const [column, row] = this.#place(square);
    it.style.left = `${12.5 * column}%`;
    it.style.top = `${12.5 * row}%`;
    return it;
  }

  #ring(square: string): SVGElement {
    const [column, row] = this.#place(square);
    return element('circle', {
      cx: column + 0.5,
      cy: row + 0.5,
      r: 0.46,
      'stroke-width': 0.07,
      fill: 'none',
    });
  }

  /** A line to a little before the middle of the target, and its head. */
  #arrow(from: string, to: string, color: string): SVGElement[] {
    const [[x, y], [column, row]] = [this.#place(from), this.#place(to)];
    const angle = Math.atan2(row - y, column - x);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [tipX, tipY] = [column + 0.5 - 0.1 * cos, row + 0.5 - 0.1 * sin];
    const [endX, endY] = [tipX - 0.42 * cos, tipY - 0.42 * sin];
    const side = (by: number) => `${endX - by * sin},${endY + by * cos}`;
    const points = `${tipX},${tipY} ${side(0.28)} ${side(-0.28)}`;
    return [
      element('line', { x1: x + 0.5, y1: y + 0.5, x2: endX, y2: endY, 'stroke-width': 0.15 }),
      element('polygon', { points, fill: color, stroke: 'none' }),
    ];
  }
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
