/** Starts a real Kubernetes control plane, etcd with kube-apiserver, on the loopback address. */

import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from '../../../scripts/tools/control-plane/binaries.ts';
import { projectBinaries } from '../../../scripts/tools/control-plane/project-binaries.ts';
import { accessTo, authorityFile, type ControlPlaneAccess, type ControlPlaneAddress } from './access.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Layout, layOut, storeFolder } from './layout.ts';
import { PortTakenError, waitUntilReady } from './readiness.ts';
import { advance, compact } from './store-call.ts';
import { type Supervisor, startSupervisor } from './supervise.ts';
import type { Launch } from './supervision.ts';

const ATTEMPTS = 5;

export interface ControlPlaneOptions {
  /** The programs; those of this project by default. */
  readonly binaries?: Binaries;
  /** Arguments in addition to the usual ones, for instance `--feature-gates=WatchList=false`. */
  readonly apiServerArgs?: readonly string[];
}

export interface ControlPlane extends ControlPlaneAddress, ControlPlaneAccess {
  /** The value that another process needs for `accessTo`. */
  readonly address: ControlPlaneAddress;
  pids(): { supervisor: number; etcd: number | undefined; apiServer: number | undefined };
  /** Resolves when the API server has ended. etcd keeps all its data. */
  stopApiServer(options?: { readonly signal?: NodeJS.Signals }): Promise<void>;
  /**
   * Starts the API server again on the same port with the same data, and waits until it is ready. Another program is
   * used for later starts too.
   */
  startApiServer(program?: string): Promise<void>;
  /** The API server keeps its connections, but does nothing any more. */
  pauseApiServer(): Promise<void>;
  resumeApiServer(): Promise<void>;
  /**
   * Makes etcd forget all versions but the present one. A running API server still serves its cache for up to 15
   * seconds; to be sure of a 410, call this between `stopApiServer` and `startApiServer`.
   */
  compact(): Promise<void>;
  /** Increases the versions by that many, as other activity in the cluster does. */
  advance(versions: number): Promise<void>;
  /** Keeps a copy of the data of etcd, in place of the previous copy. The API server waits meanwhile. */
  saveStore(): Promise<void>;
  /**
   * Sets etcd back to the copy, as a restored backup does: versions begin again from there. The API server is
   * restarted.
   */
  restoreStore(): Promise<void>;
  /** Ends everything and removes the directory. It is safe to call again. */
  stop(): Promise<void>;
}

/** Starts a control plane. Resolves when it is ready. It ends with this process at the latest. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = options.binaries ?? (await projectBinaries());
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(binaries, options);
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(binaries: Binaries, { apiServerArgs = [] }: ControlPlaneOptions): Promise<ControlPlane> {
  const supervisor = await startSupervisor();
  try {
    const layout = await layOut({ directory: supervisor.directory, binaries, apiServerArgs });
    await supervisor.start('etcd', layout.etcd);
    await supervisor.start('kube-apiserver', layout.apiServer);
    await waitUntilReady({ supervisor, layout });
    const address = await writeAddress(supervisor.directory, layout, binaries);
    return {
      address,
      ...address,
      ...accessTo(address),
      ...lifeOf({ supervisor, layout, apiServer: layout.apiServer }),
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

async function writeAddress(directory: string, layout: Layout, binaries: Binaries): Promise<ControlPlaneAddress> {
  const { server, token } = layout;
  const kubeconfig = join(directory, 'admin.kubeconfig');
  const authority = await readFile(authorityFile(directory), 'utf8');
  await writeKubeconfig(kubeconfig, { server, authority, user: 'admin', token });
  return { server, directory, kubeconfig, kubectlProgram: binaries.kubectl };
}

type Life = Omit<ControlPlane, 'address' | keyof ControlPlaneAddress | keyof ControlPlaneAccess>;

interface Parts {
  readonly supervisor: Supervisor;
  readonly layout: Layout;
  apiServer: Launch;
}

async function startApiServer({ supervisor, layout, apiServer }: Parts): Promise<void> {
  await supervisor.start('kube-apiserver', apiServer);
  await waitUntilReady({ supervisor, layout });
}

function lifeOf(parts: Parts): Life {
  const { supervisor, layout } = parts;
  return {
    pids: () => ({
      supervisor: supervisor.pid,
      etcd: supervisor.pidOf('etcd'),
      apiServer: supervisor.pidOf('kube-apiserver'),
    }),
    stopApiServer: ({ signal = 'SIGTERM' } = {}) => supervisor.end('kube-apiserver', signal),
    async startApiServer(program = parts.apiServer.program) {
      parts.apiServer = { ...parts.apiServer, program };
      await startApiServer(parts);
    },
    pauseApiServer: () => supervisor.signal('kube-apiserver', 'SIGSTOP'),
    resumeApiServer: () => supervisor.signal('kube-apiserver', 'SIGCONT'),
    compact: () => compact(layout.store),
    advance: (versions) => advance(layout.store, versions),
    ...storeOf(parts),
    stop: () => supervisor.stop(),
  };
}

/** A copy of the files of an etcd that has ended in order is a complete backup. */
function storeOf(parts: Parts): Pick<Life, 'saveStore' | 'restoreStore'> {
  const { supervisor, layout } = parts;
  const store = storeFolder(supervisor.directory);
  const saved = `${store}.saved`;
  const copy = async (from: string, to: string): Promise<void> => {
    await supervisor.end('etcd', 'SIGTERM');
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
    await supervisor.start('etcd', layout.etcd);
  };
  return {
    async saveStore() {
      await copy(store, saved);
      await waitUntilReady({ supervisor, layout });
    },
    async restoreStore() {
      // The API server serves from memory what it has read before.
      await supervisor.end('kube-apiserver', 'SIGTERM');
      await copy(saved, store);
      await startApiServer(parts);
    },
  };
}
