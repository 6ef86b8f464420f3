import { defineConfig } from 'vitest/config';

/** What takes minutes because time itself is what is tested; `make soak` runs it. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
});
