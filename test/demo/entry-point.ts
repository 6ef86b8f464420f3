/** The kubeconfig, kubectl and header for the control plane of the demo. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { type DemoSettings, type DemoToken, SHOP } from './settings.ts';
import { quoted } from './shell.ts';

export interface EntryPoint {
  /** The path of a kubeconfig that may do everything and uses the namespace of the samples by default. */
  readonly kubeconfig: string;
  /** The path of a kubectl that needs no variable to be set, and keeps its cache inside the demo. */
  readonly kubectl: string;
  /** The header for curl's `-H`. If absent, the demo runs without authentication. */
  readonly header?: string;
}

/** Writes kubeconfig and kubectl script into the directory of the control plane, which is deleted with it. */
export async function openEntryPoint(plane: ControlPlane, { token }: DemoSettings): Promise<EntryPoint> {
  const entryPoint = {
    kubeconfig: join(plane.directory, 'kubeconfig'),
    kubectl: join(plane.directory, 'bin', 'kubectl'),
  };
  await copyFile(plane.kubeconfig, entryPoint.kubeconfig);
  const inShop = ['config', 'set-context', '--current', '--namespace', SHOP];
  await plane.kubectlOrThrow(inShop, { kubeconfig: entryPoint.kubeconfig });
  await mkdir(dirname(entryPoint.kubectl));
  await writeFile(entryPoint.kubectl, kubectlScript(plane, entryPoint.kubeconfig), { mode: 0o700 });
  return { ...entryPoint, ...(token && { header: await headerFor(plane, token) }) };
}

function kubectlScript({ directory, kubectlProgram }: ControlPlane, kubeconfig: string): string {
  return [
    '#!/bin/sh',
    `export KUBECONFIG=${quoted(kubeconfig)} KUBECACHEDIR=${quoted(join(directory, 'kubectl-cache'))} KUBERC=off`,
    `exec ${quoted(kubectlProgram)} "$@"`,
    '',
  ].join('\n');
}

/** A token that the user has chosen is not shown: curl reads it from a file. */
async function headerFor({ directory }: ControlPlane, { value, isOurs }: DemoToken): Promise<string> {
  const header = `Authorization: ${value}`;
  if (isOurs) return header;
  const file = join(directory, 'authorization');
  await writeFile(file, `${header}\n`, { mode: 0o600 });
  return `@${file}`;
}
