/** How a test reaches a running control plane, from whichever process. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Finished, runProgram } from './run-program.ts';

/** Plain values, so that they can be handed to another process. */
export interface ControlPlaneAddress {
  /** `https://127.0.0.1:…` */
  readonly server: string;
  /** Holds the logs, certificates, data; removed when the control plane stops. */
  readonly directory: string;
  /** The path of a kubeconfig that may do everything. */
  readonly kubeconfig: string;
  /** The path of the program. */
  readonly kubectlProgram: string;
}

export interface KubectlOptions {
  readonly input?: string;
  /** Absent: the one that may do everything. */
  readonly kubeconfig?: string;
}

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

export interface ControlPlaneAccess {
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Finished>;
  /** Answers what kubectl printed; throws with its complaint if it fails. */
  kubectlOrThrow(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** Writes a kubeconfig that acts as an existing ServiceAccount for a day, and answers its path. */
  kubeconfigFor(account: ServiceAccountRef): Promise<string>;
}

/** Where the API server keeps the certificate that it has made for itself. */
export function authorityFile(directory: string): string {
  return join(directory, 'certificates', 'apiserver.crt');
}

/** Makes the ways to reach the control plane at an address. */
export function accessTo(address: ControlPlaneAddress): ControlPlaneAccess {
  const kubectl: ControlPlaneAccess['kubectl'] = (args, { input, kubeconfig = address.kubeconfig } = {}) =>
    runProgram(address.kubectlProgram, args, {
      ...(input === undefined ? {} : { input }),
      environment: {
        // Nothing of the home directory is read, nothing is written there.
        ...{ KUBECONFIG: kubeconfig, KUBECACHEDIR: join(address.directory, 'kubectl'), KUBERC: 'off' },
        // It ends after some tenths of a second, a third of which it would spend on collecting garbage.
        ...{ GOGC: 'off', GOMEMLIMIT: '512MiB' },
      },
    });

  const kubectlOrThrow: ControlPlaneAccess['kubectlOrThrow'] = async (args, options) => {
    const { code, stdout, stderr } = await kubectl(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed with ${code}:\n${stderr}`);
    return stdout;
  };

  const kubeconfigFor: ControlPlaneAccess['kubeconfigFor'] = async ({ namespace, name }) => {
    const request = ['create', 'token', name, '--namespace', namespace, '--duration', '24h'];
    const path = join(address.directory, `${namespace}-${name}-${randomUUID()}.kubeconfig`);
    await writeKubeconfig(path, {
      server: address.server,
      authority: await readFile(authorityFile(address.directory), 'utf8'),
      user: `system:serviceaccount:${namespace}:${name}`,
      token: (await kubectlOrThrow(request)).trim(),
      namespace,
    });
    return path;
  };

  return { kubectl, kubectlOrThrow, kubeconfigFor };
}
