// Games of every format become collections; uploads and imports are canceled; a token says who may do it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { Reader } from './reader';
import { PROGRAM } from './server';

const folder = mkdtempSync(join(tmpdir(), 'tabiya-games-'));
const PGN = '[White "Anna"]\n[Black "Berta"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n';
/** The game, compressed. */
const BZ2 =
  'QlpoOTFBWSZTWZxKZrAAABnfgAAQUAN/ADABEIo7bR4AIABUUJvVDI9QGJkzUyDU9SGQ008oA9QBiSIe7cohleaCknWahBFXqIKr2KDe1o1Fngit2CTeDlNwCGeilSF9D5QVrX/F3JFOFCQnEpmsAA==';
const ZST =
  'KLUv/QRYbQIAwkQRF3DFOlS5J+SiY6IfozxVRvBjy2TVn78ji0w6i19G+1Fn0l0d7if46gv9k3YhI5P4dQYATdSlG1+Rcba3kCOlA79rghQvAQCPMMfM38b2';
const FIXTURES = resolve('../crates/base/tests/fixtures');

function write(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** The files of a folder whose names begin like this. */
const files = (under: string, start: string): string[] =>
  readdirSync(under)
    .filter((it) => it.startsWith(start))
    .map((it) => join(under, it));

/** The game as a Scid base of the newer format, as the program writes it. */
function si5(): string[] {
  write('one.pgn', PGN);
  const db = join(folder, 'one.db');
  execFileSync(PROGRAM, ['index', join(folder, 'one.pgn'), '--db', db]);
  execFileSync(PROGRAM, ['export', '--db', db, '--format', 'si5', '--output', join(folder, 'newer.si5')]);
  return files(folder, 'newer.');
}

describe('on this machine', () => {
  const reader = new Reader('--home', mkdtempSync(join(tmpdir(), 'tabiya-home-')));
  const { seen, count, text } = reader;

  const choose = (chosen: string | string[]) => reader.page.setInputFiles('input[name=games]', chosen);

  test('files of every format are imported', async () => {
    await reader.open();
    await seen('.card');
    const formats: [string, string | string[], number][] = [
      ['plain', write('plain.pgn', PGN), 1],
      ['zipped', write('zipped.pgn.gz', gzipSync(PGN)), 1],
      ['block', write('block.pgn.bz2', Buffer.from(BZ2, 'base64')), 1],
      ['standard', write('standard.pgn.zst', Buffer.from(ZST, 'base64')), 1],
      ['scid', files(join(FIXTURES, 'scid'), 'games.s'), 21],
      ['newer', si5(), 1],
      ['chessbase', files(join(FIXTURES, 'chessbase'), 'Base.'), 2],
      ['packed', join(FIXTURES, 'chessbase/packed.cbv'), 2],
    ];
    for (const [name, chosen, least] of formats) {
      await reader.page.locator('.collection').click();
      await reader.page.fill('input[name=collection-name]', name);
      await choose(chosen);
      // The page goes to the games of the new collection.
      await expect.poll(() => text('.collection')).toMatch(new RegExp(`^${name} \\d+ game`));
      const games = Number(/(\d+) game/.exec(await text('.collection'))?.[1]);
      expect(games, name).toBeGreaterThanOrEqual(least);
      await expect.poll(() => count('.games .row')).toBe(Math.min(games, 50));
      if (await count('.shelf[open]')) await reader.page.keyboard.press('Escape');
    }
  });

  test('what could not be read is listed', async () => {
    await reader.open();
    await seen('.card');
    await choose(
      write('broken.pgn', `${PGN}\n[White "Carla"]\n\n1. e4 e5 2. Ke9 1-0\n\n[White "Dora"]\n\n1. d4 1-0\n`),
    );
    await expect.poll(() => text('.import[data-state=done]')).toMatch(/\d games · done after/);
    await reader.page.locator('.problems summary').first().click();
    expect(await text('.problems li')).toContain('broken.pgn');
    expect(await text('.problems li')).toContain('Ke9');
  });

  test('an upload is canceled', async () => {
    await reader.open();
    await seen('.card');
    // The server never gets the file.
    await reader.page.route('**/api/v1/uploads/**', () => {});
    await choose(write('late.pgn', PGN + PGN));
    await expect.poll(() => text('.upload')).toContain('late');
    await reader.page.locator('.upload button').click();
    await expect.poll(() => text('.notice')).toContain('was canceled');
    expect(await count('.upload')).toBe(0);
    const names = await reader.page.locator('.collections .name').allTextContents();
    expect(names).not.toContain('late');
  });

  test('an import shows its rate and is canceled', async () => {
    await reader.open();
    await seen('.card');
    await choose(resolve('../sample/sample.pgn.zst'));
    // The name belongs to the collection of the program itself.
    await expect.poll(() => text('.import strong')).toBe('sample 2');
    const running = '.import[data-state=running]';
    await expect.poll(() => text(running)).toMatch(/[\d,]+ a second · .* left/);
    await reader.page.locator(`${running} button`).click();
    await expect.poll(() => count('.import[data-state=canceled]')).toBe(1);
  });
});

describe('on a network', () => {
  const tokens = write('tokens', 'read aaaaaaaaaaaaaaaa\njudge bbbbbbbbbbbbbbbb\nmanage cccccccccccccccc\n');
  const home = mkdtempSync(join(tmpdir(), 'tabiya-home-'));
  const reader = new Reader('--home', home, '--host', 'chess.example', '--token-file', tokens);
  const { seen, count, text } = reader;

  test('a token is asked for, and gives what it allows', async () => {
    await reader.open('/?fen=start');
    await seen('.access[open]');
    await reader.page.keyboard.press('Escape');
    await seen('.access[open]');
    await reader.page.fill('input[name=token]', 'wrong');
    await reader.click('Enter');
    await expect.poll(() => text('.access .fault')).toContain('not valid');
    await reader.page.fill('input[name=token]', 'aaaaaaaaaaaaaaaa');
    await reader.click('Enter');
    // The place stays the same.
    await seen('.card');
    expect(reader.page.url()).toContain('fen=start');
    expect(await count('.access[open]')).toBe(0);
    await reader.page.locator('.collection').click();
    await expect.poll(() => text('.shelf')).toContain('does not allow importing');
    expect(await count('input[name=games]')).toBe(0);
    await reader.page.keyboard.press('Escape');
    await reader.page.keyboard.press('j');
    await expect.poll(() => text('.judge')).toContain('does not allow judging');
  });

  test('the printed address lets the page import', async () => {
    await reader.open('/?token=cccccccccccccccc');
    await seen('.card');
    expect(reader.page.url()).not.toContain('token');
    await reader.page.setInputFiles(
      'input[name=games]',
      write('mine.pgn', PGN + '\n' + PGN.replace('e4 e5', 'd4 d5').replace(/2\..*a6/, '2. c4')),
    );
    await expect.poll(() => text('.collection')).toMatch(/^mine 2 games/);
  });
});
