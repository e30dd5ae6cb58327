import { defineConfig } from 'vitest/config';

// The program serves the page; during development Vite serves it and forwards
// requests to a running `tabiya serve`.
export default defineConfig({
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/api': process.env['TABIYA_SERVER'] ?? 'http://127.0.0.1:7777' } },
  test: { include: ['test/unit/**/*.test.ts'] },
});
