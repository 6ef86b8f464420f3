/** Gives one control plane with this project installed to all tests that need a cluster. */
import type { TestProject } from 'vitest/node';
import type { ControlPlaneAddress } from './control-plane/access.ts';
import { installAdmission } from './control-plane/install-admission.ts';
import { installDefinitions } from './control-plane/install-definitions.ts';
import { startControlPlane } from './control-plane/start-control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneAddress;
  }
}

/** Runs before the first test file; what it answers runs after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane();
  try {
    await installDefinitions(controlPlane);
    await installAdmission(controlPlane, ['protected-environment.yaml']);
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
  project.provide('controlPlane', controlPlane.address);
  return () => controlPlane.stop();
}
