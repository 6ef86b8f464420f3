/** The files, ports and arguments of one control plane. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from '../../../scripts/tools/control-plane/binaries.ts';
import { freePorts } from './ports.ts';
import { selfSigned } from './self-signed.ts';
import type { Launch } from './supervision.ts';

export interface Layout {
  /** `https://127.0.0.1:…` */
  readonly server: string;
  /** The path of the socket of etcd. A port would be open to every user of the machine, and to web pages. */
  readonly store: string;
  /** The token of the user that may do everything. */
  readonly token: string;
  readonly etcd: Launch;
  readonly apiServer: Launch;
}

export interface LayoutOptions {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly apiServerArgs: readonly string[];
}

/** Chooses free ports, then writes the files that the components read at their start. */
export async function layOut({ directory, binaries, apiServerArgs }: LayoutOptions): Promise<Layout> {
  const [apiPort] = await freePorts(1);
  const store = join(directory, 'etcd.sock');
  const token = randomBytes(24).toString('hex');
  await writeFile(join(directory, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  await writeFile(join(directory, 'service-accounts.key'), newServiceAccountKey(), { mode: 0o600 });
  await makeServingCertificate(join(directory, 'certificates'));
  return {
    server: `https://127.0.0.1:${apiPort}`,
    store,
    token,
    etcd: {
      program: binaries.etcd,
      log: join(directory, 'etcd.log'),
      args: etcdArgs(directory, store),
    },
    apiServer: {
      program: binaries.kubeApiserver,
      log: join(directory, 'kube-apiserver.log'),
      args: [...apiServerArgsFor({ directory, store, port: `${apiPort}` }), ...apiServerArgs],
    },
  };
}

/**
 * Makes a certificate with the names that the API server would use. Without openssl the API server makes one itself,
 * whose handshakes take a third of its time.
 */
async function makeServingCertificate(folder: string): Promise<void> {
  await mkdir(folder);
  const [certFile, keyFile] = [join(folder, 'apiserver.crt'), join(folder, 'apiserver.key')];
  const names = ['IP:127.0.0.1', 'IP:10.0.0.1', 'DNS:localhost', 'DNS:kubernetes.default.svc'];
  await selfSigned({ certFile, keyFile, names, days: 2 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** The data folder of etcd. */
export function storeFolder(directory: string): string {
  return join(directory, 'etcd');
}

/** The path of a socket as etcd and its clients write it. */
function urlOfSocket(path: string): string {
  return `unix://${path}`;
}

function etcdArgs(directory: string, store: string): string[] {
  return [
    ['--data-dir', storeFolder(directory)],
    ['--listen-client-urls', urlOfSocket(store)],
    ['--listen-peer-urls', urlOfSocket(join(directory, 'etcd-peers.sock'))],
    // etcd requires ports in the addresses for other members and clients. There are none, and nothing listens there.
    ['--advertise-client-urls', 'http://localhost:2379'],
    ['--initial-advertise-peer-urls', 'http://localhost:2380'],
    ['--initial-cluster', 'default=http://localhost:2380'],
    // Without periodic compaction, a long run keeps every revision.
    ['--quota-backend-bytes', `${8 * 1024 ** 3}`],
    ['--unsafe-no-fsync'],
  ].flat();
}

function apiServerArgsFor({ directory, store, port }: { directory: string; store: string; port: string }): string[] {
  const key = join(directory, 'service-accounts.key');
  return [
    ['--etcd-servers', urlOfSocket(store)],
    // Only tests compact. With 0 the watch cache would not notice it.
    ['--etcd-compaction-interval', '240h'],
    ['--secure-port', port],
    ['--bind-address', '127.0.0.1'],
    // Otherwise the server looks for an external address, and does not start on a machine without a network.
    ['--advertise-address', '127.0.0.1'],
    ['--endpoint-reconciler-type', 'none'],
    ['--cert-dir', join(directory, 'certificates')],
    ['--service-account-key-file', key],
    ['--service-account-signing-key-file', key],
    ['--service-account-issuer', 'https://kubernetes.default.svc'],
    ['--service-cluster-ip-range', '10.0.0.0/24'],
    ['--token-auth-file', join(directory, 'tokens.csv')],
    ['--authorization-mode', 'RBAC'],
    ['--disable-admission-plugins', 'ServiceAccount'],
  ].flat();
}

function newServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}
