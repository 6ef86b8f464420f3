/** The unexpected end of the control plane. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const SHOWN_LINES = 15;

/** Throws an error with the end of the log of the program that has ended. */
export async function planeFailure(plane: ControlPlane): Promise<never> {
  const everlasting = { what: 'the control plane has ended', timeoutMs: Number.POSITIVE_INFINITY, everyMs: 500 };
  const program = await waitUntil(everlasting, () => missingIn(plane));
  const log = await readFile(join(plane.directory, `${program}.log`), 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-SHOWN_LINES);
  throw new Error(`${program} ended by itself. Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

function missingIn(plane: ControlPlane): 'etcd' | 'kube-apiserver' | undefined {
  const { etcd, apiServer } = plane.pids();
  if (etcd === undefined) return 'etcd';
  return apiServer === undefined ? 'kube-apiserver' : undefined;
}
