/** The kubeconfig, the token and the programs of the demo. */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ControlPlane } from '../support/control-plane/start-control-plane.ts';
import { type DemoSettings, SHOP } from './settings.ts';

const CLI = fileURLToPath(new URL('../../cli/start.ts', import.meta.url));

export interface EntryPoint {
  /** The path of a kubeconfig that may do everything and uses the namespace of the samples by default. */
  readonly kubeconfig: string;
  /**
   * The folder of kubectl, vexil and shop-log, which prints the lines of the application about a flag. They need no
   * variable to be set, and keep their files in the demo.
   */
  readonly bin: string;
  /** The command that defines what the commands of the documentation use: PATH, VEXIL_SERVER, API and TOKEN. */
  readonly exports: string;
}

interface EntryParts {
  readonly plane: ControlPlane;
  readonly settings: DemoSettings;
  readonly applicationLog: string;
}

/** Writes the files into the directory of the control plane, which is deleted with it. */
export async function openEntryPoint({ plane, settings, applicationLog }: EntryParts): Promise<EntryPoint> {
  const { directory, kubectlProgram } = plane;
  const [kubeconfig, bin] = [join(directory, 'kubeconfig'), join(directory, 'bin')];
  await copyFile(plane.kubeconfig, kubeconfig);
  const inShop = ['config', 'set-context', '--current', '--namespace', SHOP];
  await plane.kubectlOrThrow(inShop, { kubeconfig });
  await mkdir(bin);
  const ofCluster = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(directory, 'kubectl-cache'), KUBERC: 'off' };
  const tokenFile = settings.token === undefined ? undefined : join(directory, 'token');
  if (tokenFile !== undefined) await writeFile(tokenFile, settings.token ?? '', { mode: 0o600 });
  await writeProgram(join(bin, 'kubectl'), ofCluster, [kubectlProgram]);
  await writeProgram(join(bin, 'vexil'), { ...ofCluster, ...(tokenFile && { VEXIL_TOKEN_FILE: tokenFile }) }, [
    process.execPath,
    CLI,
  ]);
  await symlink('vexil', join(bin, 'kubectl-vexil'));
  await writeFile(join(bin, 'shop-log'), `#!/bin/sh\nexec grep "^$1" ${quoted(applicationLog)}\n`, { mode: 0o700 });
  const token = tokenFile === undefined ? 'none' : `"$(cat ${quoted(tokenFile)})"`;
  const addresses = `VEXIL_SERVER=${quoted(settings.url)} API=${quoted(`${settings.url}/api/admin`)}`;
  const exports = `export PATH=${quoted(bin)}:"$PATH" ${addresses} TOKEN=${token}`;
  return { kubeconfig, bin, exports };
}

/** A program with variables of its own. */
async function writeProgram(
  path: string,
  variables: Readonly<Record<string, string>>,
  command: readonly string[],
): Promise<void> {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`);
  const lines = ['#!/bin/sh', ...set.map((one) => `export ${one}`), `exec ${command.map(quoted).join(' ')} "$@"`, ''];
  await writeFile(path, lines.join('\n'), { mode: 0o700 });
}

/** Quotes one word of a command line. Plain words stay unchanged. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
