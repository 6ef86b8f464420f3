/** Writes kubeconfig files. */
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

export interface Identity {
  readonly server: string;
  /** The PEM of the certificates that verify the server. */
  readonly authority: string;
  readonly user: string;
  readonly token: string;
  readonly namespace?: string;
}

/** Writes a kubeconfig with which a client verifies the server; only its owner can read it. */
export async function writeKubeconfig(path: string, identity: Identity): Promise<void> {
  const { server, authority, user, token, namespace = 'default' } = identity;
  const cluster = { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'control-plane',
    clusters: [{ name: 'control-plane', cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'control-plane', context: { cluster: 'control-plane', user, namespace } }],
  };
  await writeFile(path, stringify(kubeconfig), { mode: 0o600 });
}
