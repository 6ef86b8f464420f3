/** The tests that `make compat` runs against each version of Kubernetes: those that depend on the API server. */
import { defineConfig } from 'vitest/config';
import { kubernetesVersion } from './scripts/tools/control-plane/versions.ts';
import { compatTests } from './test/compat/selection.ts';
import { patient, setupFiles } from './vitest.config.ts';

const { minor } = await kubernetesVersion(process.env['VEXIL_KUBERNETES']);

export default defineConfig({
  test: {
    include: [...compatTests(minor)],
    // The operator is absent for a shorter time than in `make soak`.
    env: { SOAK_SECONDS: process.env['SOAK_SECONDS'] ?? '20' },
    globalSetup: ['test/support/global-setup.ts'],
    expect: patient,
    // Some of these tests also belong to `make soak`.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    setupFiles,
    isolate: false,
  },
});
