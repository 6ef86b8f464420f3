/** The end-to-end tests, which `make e2e` runs: they need a cluster whose kubelet runs pods. */
import { defineConfig } from 'vitest/config';

const each = {
  globalSetup: ['test/e2e/global-setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 180_000,
  isolate: false,
  taskTitleValueFormatTruncate: 200,
};

export default defineConfig({
  test: {
    projects: [
      {
        // The first release brings the definitions, as on a fresh cluster, and those of an earlier chart: the others
        // find them.
        test: {
          ...each,
          name: 'first release',
          include: ['test/e2e/install.test.ts'],
          sequence: { groupOrder: 0 },
          maxWorkers: 1,
        },
      },
      {
        test: {
          ...each,
          name: 'e2e',
          include: ['test/e2e/replicas.test.ts', 'test/contract/specification/*.test.ts'],
          // It writes the file of an archive itself, which a pod has on a volume of its own.
          exclude: ['test/contract/specification/endpoints-events.test.ts'],
          sequence: { groupOrder: 1 },
          // There are as many cores for the whole cluster, and most of the time goes into waiting for pods.
          maxWorkers: 2,
        },
      },
    ],
  },
});
