/** Provides the tests in a browser with one control plane with this project installed, and with the built console. */
import type { TestProject } from 'vitest/node';
import { buildConsole } from './build-console.ts';
import { rolesOfChart } from './chart/roles-of-chart.ts';
import { installDefinitions } from './control-plane/install-definitions.ts';
import { startControlPlane } from './control-plane/start-control-plane.ts';
import { projectHelm } from './tools/helm.ts';

/** Runs before the first test file. The returned function runs after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const helm = await projectHelm();
  project.provide('operatorRoles', await rolesOfChart(helm).finally(() => helm.end()));
  const [controlPlane] = await Promise.all([startControlPlane(), buildConsole()]);
  try {
    await installDefinitions(controlPlane);
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
  project.provide('controlPlane', controlPlane.address);
  return () => controlPlane.stop();
}
