import { defineConfig } from 'vitest/config';

/** `expect.poll` waits as long as `waitUntil`. */
export const patient = { poll: { timeout: 30_000 } };
/**
 * The same for all projects, because Vitest runs projects with different numbers one after the other. There are more
 * workers than cores in CI, because many tests wait.
 */
const maxWorkers = 4;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          // Vitest starts projects in the order of their names. This one takes a minute or two in processes of its own, and
          // the first tests of a cluster wait for its start.
          name: 'chaos',
          include: ['test/simulation/*.test.ts'],
          maxWorkers,
          isolate: false,
        },
      },
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture/*.test.ts'],
          // Some tests check thousands of values, on a machine that also runs other tests.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers,
          // These tests share no state, and a process for each file costs as much as its tests.
          isolate: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/integration/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/console/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          expect: patient,
          // The checks of accessibility in a browser take the longest time.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers,
          // Loading the modules again for each file takes a third of the time of most files.
          isolate: false,
          // Names of routes are long, and differ only at their ends.
          taskTitleValueFormatTruncate: 200,
        },
      },
    ],
  },
});
