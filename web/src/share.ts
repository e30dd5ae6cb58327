// Copies and files of what the page shows.

import { diagram, toPng } from './diagram';
import { h } from './dom';
import type { Command } from './menu';
import { notice } from './notice';
import { writePgn, type Tree } from './tree';

/** What there is to share. */
export interface Shown {
  readonly fen: string;
  readonly orientation: 'white' | 'black';
  readonly tree: Tree;
}

export const commands = (shown: () => Shown): Command[] => {
  const picture = () => diagram(shown().fen, shown().orientation);
  return [
    ['Copy FEN', () => void copy(shown().fen, 'FEN')],
    ['Copy link', () => void copy(location.href, 'Link')],
    ['Copy PGN', () => void copy(writePgn(shown().tree), 'PGN')],
    ['Save PGN', () => save('game.pgn', writePgn(shown().tree), 'application/x-chess-pgn')],
    ['Copy diagram', () => void copyPicture(picture())],
    ['Save diagram as PNG', () => void toPng(picture()).then((it) => saveBlob('diagram.png', it))],
    ['Save diagram as SVG', () => save('diagram.svg', picture(), 'image/svg+xml')],
  ];
};

/** Copies text. Browsers offer the clipboard only to pages from this machine or over HTTPS. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} copied.`);
  } catch {
    notice(`The browser does not allow copying. ${what}: ${text}`, 'fault');
  }
}

async function copyPicture(svg: string): Promise<void> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(svg) })]);
    notice('Diagram copied.');
  } catch {
    notice('The browser does not allow copying pictures; save the diagram instead.', 'fault');
  }
}

export const save = (name: string, text: string, type: string): void =>
  saveBlob(name, new Blob([text], { type }));

function saveBlob(name: string, blob: Blob): void {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
