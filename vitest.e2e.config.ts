/** The end-to-end tests, which `make e2e` runs: they need a cluster whose kubelet runs pods. */
import { defineConfig } from 'vitest/config';
import { InOrder } from './test/e2e/in-order.ts';

export default defineConfig({
  test: {
    name: 'e2e',
    include: ['test/e2e/**/*.test.ts', 'test/contract/specification/*.test.ts'],
    // It writes the file of an archive itself, which a pod has on a volume of its own.
    exclude: ['test/contract/specification/endpoints-events.test.ts'],
    sequence: { sequencer: InOrder },
    globalSetup: ['test/e2e/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // There are as many cores for the whole cluster.
    fileParallelism: false,
    isolate: false,
    taskTitleValueFormatTruncate: 200,
  },
});
