/** Provides the tests with the cluster that `make e2e` has started. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { parse } from 'yaml';
import { authorityFile, type ControlPlaneAddress } from '../support/control-plane/access.ts';
import { readStage, STATE, type Stage } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the operators of contract tests run in pods. Absent in every other run. */
    stage: Stage;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const stage = await readStage();
  project.provide('stage', stage);
  project.provide('controlPlane', await addressOf(stage));
}

/** The address in the form that tests use for the control plane that they share in other runs. */
async function addressOf({ kubeconfig, kubectl }: Stage): Promise<ControlPlaneAddress> {
  const directory = join(STATE, 'access');
  const [{ cluster }] = parse(await readFile(kubeconfig, 'utf8')).clusters;
  const authority = authorityFile(directory);
  await mkdir(dirname(authority), { recursive: true });
  await writeFile(authority, Buffer.from(cluster['certificate-authority-data'], 'base64'));
  return { server: cluster.server, directory, kubeconfig, kubectlProgram: kubectl };
}
