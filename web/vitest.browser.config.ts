import { defineConfig } from 'vitest/config';

// The tests share one browser and one server, so they run one after the other.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Long timeouts and a second try, which the report names, because the machine may be busy.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
  },
});
