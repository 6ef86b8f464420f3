/** Where the API server is, with the credentials to talk to it. */
import { readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { AppError } from '../errors.ts';

/** Loads the named kubeconfig files (a path list, merged), else what this place offers: home folder, then in-cluster. */
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
  // With nothing to load, the library falls back to this address.
  if (server === undefined || (first === undefined && server === 'http://localhost:8080')) {
    throw new AppError('invalid', 'No Kubernetes cluster is configured: set KUBECONFIG or run inside a cluster');
  }
  return config;
}

function readInto(config: KubeConfig, file: string): void {
  try {
    config.loadFromFile(file);
    config.users = withTokenFiles(config.users, file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : 'unknown';
    throw new AppError('invalid', `The kubeconfig ${file} cannot be used: ${why}`, { cause });
  }
}

interface NamedUser {
  readonly name: string;
  readonly user?: { readonly tokenFile?: string } | null;
}

/** The library does not know the field `tokenFile`; here it becomes what the library makes of the token inside a pod. */
function withTokenFiles(users: readonly User[], file: string): User[] {
  const { users: named } = parse(readFileSync(file, 'utf8')) as { readonly users?: readonly NamedUser[] };
  return users.map((user) => {
    const tokenFile = named?.find(({ name }) => name === user.name)?.user?.tokenFile;
    if (!tokenFile) return user;
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(dirname(file), tokenFile) } } };
  });
}
