// A running program and a browser.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { chromium, type Browser } from 'playwright-core';

export const PROGRAM = resolve(process.env['TABIYA'] ?? '../target/debug/tabiya');
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The program on the built-in sample, with a home of its own. */
export class Server {
  #child: ChildProcess | undefined;
  readonly #home = mkdtempSync(join(tmpdir(), 'tabiya-web-'));
  readonly #options: string[];
  #port = 0;

  /** `options` are further arguments of `tabiya serve`. */
  constructor(...options: string[]) {
    this.#options = options;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#port ||= await freePort();
    const env = { ...process.env, XDG_CACHE_HOME: this.#home, XDG_DATA_HOME: this.#home };
    const child = spawn(PROGRAM, ['serve', '--port', String(this.#port), ...this.#options], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await new Promise<void>((done, failed) => {
      child.stdout?.once('data', () => done());
      child.once('exit', (code) => failed(new Error(`the program ended with ${code}`)));
    });
  }

  /** Stops the program; SIGKILL leaves it no time to finish anything. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? done(address.port) : failed(new Error('no port')),
      );
    });
  });
}

/** A browser without a sandbox, for continuous integration, and without background traffic. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
