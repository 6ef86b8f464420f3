/** What `make compat` runs against each version of Kubernetes: what the API server has a part in. */
import { defineConfig } from 'vitest/config';
import { compatTests } from './test/compat/selection.ts';
import { kubernetesVersion } from './test/support/control-plane/versions.ts';
import { patient } from './vitest.config.ts';

const { minor } = await kubernetesVersion(process.env['VEXIL_KUBERNETES']);

export default defineConfig({
  test: {
    include: [...compatTests(minor)],
    // A shorter absence of the operator than in `make soak`.
    env: { SOAK_SECONDS: process.env['SOAK_SECONDS'] ?? '20' },
    globalSetup: ['test/support/global-setup.ts'],
    expect: patient,
    // Tests of `make soak` are among them.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    isolate: false,
  },
});
