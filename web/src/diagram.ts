// A diagram of a position as a picture of its own: SVG, and PNG made from it.

import { parseBoardFen } from 'chessops/fen';
import { squareFile, squareRank } from 'chessops/util';

import { h, piece } from './dom';

const SIDE = 90;
const EDGE = 28;

/** The picture, with the pieces and colors of the board on the page. */
export function diagram(fen: string, orientation: 'white' | 'black'): string {
  const [placement = '', turn = 'w'] = fen.split(' ');
  const board = parseBoardFen(placement);
  const look = new Look();
  const at = (file: number, rank: number): [number, number] =>
    orientation === 'white'
      ? [EDGE + file * SIDE, (7 - rank) * SIDE]
      : [EDGE + (7 - file) * SIDE, rank * SIDE];
  const parts: string[] = [];
  for (let square = 0; square < 64; square++) {
    const [file, rank] = [squareFile(square), squareRank(square)];
    const [x, y] = at(file, rank);
    const color = (file + rank) % 2 ? look.light : look.dark;
    parts.push(`<rect x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" fill="${color}"/>`);
  }
  for (let index = 0; index < 8; index++) {
    const [x] = at(index, 0);
    const [, y] = at(0, index);
    parts.push(label(x + SIDE / 2, 8 * SIDE + 20, 'abcdefgh'.charAt(index)));
    parts.push(label(EDGE / 2, y + SIDE / 2 + 6, String(index + 1)));
  }
  if (board.isOk) {
    for (const [square, { role, color }] of board.value) {
      const [x, y] = at(squareFile(square), squareRank(square));
      const image = look.piece(role, color);
      parts.push(`<image x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" href="${image}"/>`);
    }
  }
  const below = (turn === 'w') === (orientation === 'white');
  const fill = turn === 'w' ? '#fff' : '#222';
  const width = EDGE + 8 * SIDE + EDGE;
  parts.push(
    `<circle cx="${width - EDGE / 2}" cy="${below ? 8 * SIDE - 12 : 12}" r="8" fill="${fill}" stroke="#444" stroke-width="2"/>`,
  );
  const height = 8 * SIDE + EDGE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>`;
}

const label = (x: number, y: number, text: string): string =>
  `<text x="${x}" y="${y}" text-anchor="middle" font-family="sans-serif" font-size="18" fill="#555">${text}</text>`;

/** The look of the board on the page. */
class Look {
  readonly light = this.#color('--light-square');
  readonly dark = this.#color('--dark-square');
  readonly #images = new Map<string, string>();

  piece(role: string, color: string): string {
    const name = `${role} ${color}`;
    const known = this.#images.get(name) ?? this.#image(role, color);
    this.#images.set(name, known);
    return known;
  }

  #image(role: string, color: string): string {
    const probe = piece(role, color);
    const style = this.#style(probe, probe.firstElementChild ?? probe).backgroundImage;
    const found = /url\("?(.*?)"?\)$/s.exec(style)?.[1] ?? '';
    probe.remove();
    return found.replace(/\\"/g, '"').replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  }

  #color(name: string): string {
    const probe = h('span', {});
    probe.style.backgroundColor = `var(${name})`;
    const color = this.#style(probe, probe).backgroundColor;
    probe.remove();
    return color;
  }

  #style(probe: HTMLElement, of: Element): CSSStyleDeclaration {
    document.body.append(probe);
    return { ...getComputedStyle(of) } as CSSStyleDeclaration;
  }
}

/** The picture as PNG. */
export async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = h('canvas', { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'),
  );
}
