/** The end-to-end tests, which `make e2e` runs: they need a cluster whose kubelet runs pods. */
import { defineConfig } from 'vitest/config';

const each = {
  globalSetup: ['test/e2e/global-setup.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  isolate: false,
  taskTitleValueFormatTruncate: 200,
};

export default defineConfig({
  test: {
    projects: [
      {
        // The tests of the first release install the CRDs, also those of an earlier chart; the other tests use them.
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
          include: ['test/e2e/replicas.test.ts', 'test/e2e/edge.test.ts', 'test/contract/specification/*.test.ts'],
          // This test writes the file of an archive, which a pod has on its own volume.
          exclude: ['test/contract/specification/endpoints-events.test.ts'],
          sequence: { groupOrder: 1 },
          // The whole cluster has as many cores, and the tests mostly wait for pods.
          maxWorkers: 2,
        },
      },
    ],
  },
});
