/** A kubeconfig that connects through a fault proxy. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ControlPlaneAddress } from '../control-plane/access.ts';
import { authorityFile } from '../control-plane/access.ts';
import { type FaultProxy, startFaultProxy } from './start-fault-proxy.ts';

interface Kubeconfig {
  readonly clusters: readonly { readonly name: string }[];
}

/** Starts a proxy in front of a control plane. */
export async function proxyFor({ server, directory }: ControlPlaneAddress): Promise<FaultProxy> {
  return startFaultProxy({ server, authority: await readFile(authorityFile(directory), 'utf8') });
}

/** Writes a copy of a kubeconfig, with the same account, that points to the proxy. Returns its path. */
export async function proxiedKubeconfig({ url }: FaultProxy, kubeconfig: string): Promise<string> {
  const direct = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  // Clients send a token over plain http only when they skip the verification of certificates.
  const cluster = { server: url, 'insecure-skip-tls-verify': true };
  const proxied = { ...direct, clusters: direct.clusters.map(({ name }) => ({ name, cluster })) };
  const path = join(dirname(kubeconfig), `proxied-${randomUUID()}.kubeconfig`);
  await writeFile(path, stringify(proxied), { mode: 0o600 });
  return path;
}
