import { defineConfig } from 'vitest/config';

/** A condition of the world may take as long as `waitUntil` gives it. */
export const patient = { poll: { timeout: 30_000 } };
/**
 * Of all projects: Vitest would else run them one after the other. One more than there are cores in CI, as many tests
 * wait.
 */
const maxWorkers = 3;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture/*.test.ts'],
          // Properties over thousands of values, on a machine that does other things beside.
          testTimeout: 30_000,
          maxWorkers,
          // Functions of values keep nothing: a process for each file costs as much as its tests.
          isolate: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/integration/**/*.test.ts', 'test/contract/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          expect: patient,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers,
          // To load the modules anew for each file took a third of the time of most files.
          isolate: false,
          // Names of routes are long, and differ at their ends.
          taskTitleValueFormatTruncate: 200,
        },
      },
      {
        test: {
          name: 'console',
          include: ['test/console/**/*.test.ts'],
          globalSetup: ['test/support/console-setup.ts'],
          // Each file has an operator and a browser of its own, so files run beside each other.
          // A check of accessibility looks at each page three times.
          expect: patient,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers,
        },
      },
    ],
  },
});
