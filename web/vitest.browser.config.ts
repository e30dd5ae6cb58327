import { defineConfig } from 'vitest/config';

// One browser and one server for all: the tests run one after the other.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Nothing is timed: who waits in vain waits long, on a busy machine too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: false,
  },
});
