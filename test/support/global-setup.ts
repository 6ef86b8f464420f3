/**
 * Provides all tests that need a cluster with one control plane with this project installed, with the built operator,
 * and with a PostgreSQL.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { runProgram } from '../../scripts/tools/run-program.ts';
import { startSharedPostgres } from './archive/shared-postgres.ts';
import { buildConsole } from './build-console.ts';
import { rolesOfChart } from './chart/roles-of-chart.ts';
import { compileCache } from './compile-cache.ts';
import type { ControlPlaneAddress } from './control-plane/access.ts';
import { installAdmission } from './control-plane/install-admission.ts';
import { installDefinitions } from './control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from './control-plane/start-control-plane.ts';
import { TEST_REVISION } from './operator-program.ts';
import type { OperatorRoles } from './operator-roles.ts';
import { projectHelm } from './tools/helm.ts';

const BUILD = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    controlPlane: ControlPlaneAddress;
    /** The roles that the chart renders: every operator of these tests has exactly these. */
    operatorRoles: OperatorRoles;
    /** The URL of an archive in the shared PostgreSQL, for copies. */
    archiveTemplate: string;
  }
}

/** Runs before the first test file. The returned function runs after the last one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [controlPlane, postgres, folder] = await Promise.all([
    startControlPlane(),
    startSharedPostgres(),
    mkdtemp(join(tmpdir(), 'vexil-program-')),
  ]);
  const stop = async () => {
    await Promise.all([controlPlane.stop(), postgres.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [roles, program] = await Promise.all([readRoles(), build(folder), install(controlPlane)]);
    project.provide('operatorRoles', roles);
    process.env['VEXIL_TEST_PROGRAM'] = program;
    // Operators, demos and launchers start many times.
    Object.assign(process.env, compileCache);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('controlPlane', controlPlane.address);
  project.provide('archiveTemplate', postgres.template);
  return stop;
}

async function readRoles(): Promise<OperatorRoles> {
  const helm = await projectHelm();
  return rolesOfChart(helm).finally(() => helm.end());
}

/** Builds the console and the program, and returns the path of the program. */
async function build(folder: string): Promise<string> {
  await buildConsole();
  const { code, stderr } = await runProgram(process.execPath, [BUILD, folder], {
    environment: { REVISION: TEST_REVISION },
  });
  if (code !== 0) throw new Error(`the operator cannot be built:\n${stderr}`);
  return join(folder, 'main.js');
}

async function install(controlPlane: ControlPlane): Promise<void> {
  await installDefinitions(controlPlane);
  await installAdmission(controlPlane, ['protected-environment.yaml']);
}
