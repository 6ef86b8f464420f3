/** The access of a test to a running control plane, from any process. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';
import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../../src/kube/api/transport.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Objects, objectsWith } from './objects.ts';

/** Plain values, so that they can be passed to another process. */
export interface ControlPlaneAddress {
  /** `https://127.0.0.1:…` */
  readonly server: string;
  /** The folder of logs, certificates and data; removed when the control plane stops. */
  readonly directory: string;
  /** The path of a kubeconfig that may do everything. */
  readonly kubeconfig: string;
  /** The path of the program. */
  readonly kubectlProgram: string;
}

export interface KubectlOptions {
  readonly input?: string;
  /** The kubeconfig; the one that may do everything by default. */
  readonly kubeconfig?: string;
}

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** An object of any kind. */
export interface AnyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Calls as the user that may do everything, unless a kubeconfig is given. */
export interface ControlPlaneAccess extends Objects {
  /** Sends one call without the cost of starting kubectl. */
  request(call: Call, kubeconfig?: string): Promise<unknown>;
  /** Applies objects as `kubectl apply --server-side --force-conflicts`, in the order given. */
  apply(objects: readonly AnyObject[]): Promise<void>;
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Finished>;
  /** Returns the output of kubectl; throws with its error message if it fails. */
  kubectlOrThrow(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** Writes a kubeconfig that acts as an existing ServiceAccount for a day, and returns its path. */
  kubeconfigFor(account: ServiceAccountRef): Promise<string>;
}

/** Provides a client for a kubeconfig. */
type Connection = <T>(kubeconfig: string, use: (transport: Transport) => Promise<T>) => Promise<T>;

/** Used for control planes that stop and start again: the connection ends after its use. */
const connectOnce: Connection = async (kubeconfig, use) => {
  const transport = connect(loadKubeConfig(kubeconfig));
  try {
    return await use(transport);
  } finally {
    transport.close();
  }
};

const kept = new Map<string, Transport>();

/** Used for a control plane that outlives this process: a handshake costs more than most calls. */
export const keepConnected: Connection = (kubeconfig, use) => {
  const transport = kept.get(kubeconfig) ?? connect(loadKubeConfig(kubeconfig));
  kept.set(kubeconfig, transport);
  return use(transport);
};

/** The path of the certificate that the API server uses. */
export function authorityFile(directory: string): string {
  return join(directory, 'certificates', 'apiserver.crt');
}

/** Returns the functions that reach the control plane at an address. */
export function accessTo(address: ControlPlaneAddress, connection: Connection = connectOnce): ControlPlaneAccess {
  const kubectl: ControlPlaneAccess['kubectl'] = (args, { input, kubeconfig = address.kubeconfig } = {}) =>
    runProgram(address.kubectlProgram, args, {
      ...(input === undefined ? {} : { input }),
      environment: {
        // kubectl reads and writes nothing in the home directory.
        ...{ KUBECONFIG: kubeconfig, KUBECACHEDIR: join(address.directory, 'kubectl'), KUBERC: 'off' },
        // kubectl ends after some tenths of a second, of which it would spend a third on collecting garbage.
        ...{ GOGC: 'off', GOMEMLIMIT: '512MiB' },
      },
    });

  const kubectlOrThrow: ControlPlaneAccess['kubectlOrThrow'] = async (args, options) => {
    const { code, stdout, stderr } = await kubectl(args, options);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} failed with ${code}:\n${stderr}`);
    return stdout;
  };

  const request: ControlPlaneAccess['request'] = (call, kubeconfig = address.kubeconfig) =>
    connection(kubeconfig, (transport) => transport.request(call));

  const apply: ControlPlaneAccess['apply'] = (objects) =>
    connection(address.kubeconfig, async (transport) => {
      const query = { fieldManager: 'kubectl', force: true };
      for (const body of objects) {
        const path = pathOf(body);
        await transport.request({ method: 'PATCH', path, query, body, contentType: 'application/apply-patch+yaml' });
      }
    });

  const kubeconfigFor: ControlPlaneAccess['kubeconfigFor'] = async ({ namespace, name }) => {
    const answer = await request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 24 * 60 * 60 } },
      contentType: 'application/json',
    });
    const { status } = answer as { status: { token: string } };
    const path = join(address.directory, `${namespace}-${name}-${randomUUID()}.kubeconfig`);
    await writeKubeconfig(path, {
      server: address.server,
      authority: await readFile(authorityFile(address.directory), 'utf8'),
      user: `system:serviceaccount:${namespace}:${name}`,
      token: status.token,
      namespace,
    });
    return path;
  };

  return { request, apply, kubectl, kubectlOrThrow, kubeconfigFor, ...objectsWith(request) };
}

/** The kinds in tests all have regular plurals. */
function pathOf({ apiVersion, kind, metadata: { name, namespace } }: AnyObject): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${group}${place}/${kind.toLowerCase()}s/${name}`;
}
