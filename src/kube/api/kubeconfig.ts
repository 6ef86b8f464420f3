/** Loads the kubeconfig: address of the API server and credentials. */
import { readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { Refusal } from '../../errors.ts';

/** Loads and merges the named kubeconfig files (a path list); without names: the home folder, then in-cluster. */
export function loadKubeConfig(files: string | undefined): KubeConfig {
  const [first, ...others] = (files ?? '').split(delimiter).filter((file) => file !== '');
  const config = new KubeConfig();
  if (first === undefined) {
    config.loadFromDefault();
  } else {
    readInto(config, first);
    for (const file of others) config.mergeConfig(loadKubeConfig(file));
  }
  const server = config.getCurrentCluster()?.server;
  // The library falls back to this address if it finds no configuration.
  if (server === undefined || (first === undefined && server === 'http://localhost:8080')) {
    throw new Refusal('invalid', 'No Kubernetes cluster is configured: set KUBECONFIG or run inside a cluster');
  }
  return config;
}

function readInto(config: KubeConfig, file: string): void {
  try {
    config.loadFromFile(file);
    config.users = withTokenFiles(config.users, file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : 'unknown';
    throw new Refusal('invalid', `The kubeconfig ${file} cannot be used: ${why}`, { cause });
  }
}

interface NamedUser {
  readonly name: string;
  readonly user?: { readonly tokenFile?: string } | null;
}

/** Maps `tokenFile`, which the library ignores, to the authProvider that it uses for the token inside a pod. */
function withTokenFiles(users: readonly User[], file: string): User[] {
  const { users: named } = parse(readFileSync(file, 'utf8')) as { readonly users?: readonly NamedUser[] };
  return users.map((user) => {
    const tokenFile = named?.find(({ name }) => name === user.name)?.user?.tokenFile;
    if (!tokenFile) return user;
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(dirname(file), tokenFile) } } };
  });
}
