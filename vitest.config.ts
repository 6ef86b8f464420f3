import { defineConfig } from 'vitest/config';

/** `expect.poll` waits as long as `waitUntil`. */
export const patient = { poll: { timeout: 120_000 } };
/** Otherwise V8 may end a worker whose operator sends large answers. */
export const setupFiles = ['src/app/no-fast-api-calls.ts'];
/** Only a test that hangs reaches them. They are long, because a machine that does other work is several times slower. */
const deadlines = { testTimeout: 300_000, hookTimeout: 300_000 };
/**
 * The same for all projects, because Vitest runs projects with different numbers one after the other. There are more
 * workers than cores in CI, because many tests wait: with six, two cores are never idle.
 */
const maxWorkers = 6;

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
          setupFiles,
          isolate: false,
        },
      },
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture/*.test.ts'],
          ...deadlines,
          maxWorkers,
          setupFiles,
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
          ...deadlines,
          maxWorkers,
          setupFiles: [...setupFiles, 'test/console/print-shown-pages.ts'],
          // Loading the modules again for each file takes a third of the time of most files.
          isolate: false,
          // Names of routes are long, and differ only at their ends.
          taskTitleValueFormatTruncate: 200,
        },
      },
    ],
  },
});
