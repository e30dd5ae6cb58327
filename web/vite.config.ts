import { defineConfig } from 'vitest/config';

// The page is served by the program itself; while it is being worked on, Vite
// serves it and asks a running `tabiya serve` for the answers.
export default defineConfig({
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/api': 'http://127.0.0.1:7777' } },
  test: { include: ['test/unit/**/*.test.ts'] },
});
