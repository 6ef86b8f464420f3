import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture.test.ts'],
          // Properties over thousands of values, on a machine that does other things beside.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/integration/**/*.test.ts', 'test/contract/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
