/**
 * The tests that `make soak` runs: many objects and requests, long runs within a fixed budget, demos with control planes
 * of their own, and the tests of the test tools.
 */
import { defineConfig } from 'vitest/config';
import { patient, setupFiles } from './vitest.config.ts';

const { env } = process;

const common = {
  globalSetup: ['test/support/global-setup.ts'],
  expect: patient,
  testTimeout: 1_200_000,
  hookTimeout: 120_000,
  isolate: false,
  maxWorkers: 2,
  setupFiles,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'tools',
          include: ['test/soak/tools/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'soak',
          include: [
            'test/soak/*.test.ts',
            'test/soak/bad-input/*.test.ts',
            // `make test` runs them with fewer cases.
            'test/contract/fuzz.test.ts',
            'test/integration/api-server-model.test.ts',
          ],
          env: { FUZZ_CASES: env['FUZZ_CASES'] ?? '5000', MODEL_SCRIPTS: '40' },
        },
      },
      {
        test: {
          ...common,
          // They measure time, so nothing runs beside them.
          name: 'alone',
          include: ['test/soak/alone/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
