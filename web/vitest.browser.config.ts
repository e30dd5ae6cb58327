import { defineConfig } from 'vitest/config';

// One browser and one server for all: the tests run one after the other.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
