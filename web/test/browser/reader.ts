// A reader with a browser and a server. An error in the browser fails the test.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { Server, launch } from './server';

export class Reader {
  readonly server: Server;
  #browser: Browser | undefined;
  #page: Page | undefined;
  #faults: string[] = [];

  constructor(...options: string[]) {
    this.server = new Server(...options);
    beforeAll(async () => {
      await this.server.start();
      this.#browser = await launch();
    });
    afterEach(async () => {
      await this.#page?.context().close();
      this.#page = undefined;
      const found = this.#faults;
      this.#faults = [];
      expect(found).toEqual([]);
    });
    afterAll(async () => {
      await this.#browser?.close();
      await this.server.stop();
    });
  }

  get page(): Page {
    if (!this.#page) throw new Error('no page is open');
    return this.#page;
  }

  async open(path = '/', options: BrowserContextOptions = {}): Promise<void> {
    const settings = { viewport: { width: 1366, height: 768 }, ...options };
    const context = await this.#browser?.newContext(settings);
    if (!context) throw new Error('no browser');
    const page = await context.newPage();
    this.#page = page;
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => this.#faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/net::ERR|Failed to load resource/.test(message.text()))
        this.#faults.push(message.text());
    });
    await page.goto(this.server.address + path);
  }

  seen = (selector: string) => this.page.locator(selector).first().waitFor();
  count = (selector: string) => this.page.locator(selector).count();
  text = async (selector: string) => (await this.page.locator(selector).first().textContent()) ?? '';
  fen = () => this.text('.fen');
  click = (name: string) => this.page.getByRole('button', { name, exact: true }).first().click();

  async type(words: string): Promise<void> {
    await this.page.fill('input[name=position]', words);
    await this.page.press('input[name=position]', 'Enter');
  }

  /** Pastes text into the page, not into a field. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((it) => {
      const data = new DataTransfer();
      data.setData('text/plain', it);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }, text);
  }
}
