/** Loads the kubeconfig: address of the API server and credentials. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { User } from '@kubernetes/client-node/dist/config_types.js';
import { Refusal } from '../../errors.ts';
import { readYaml } from '../../model/yaml/yaml.ts';

/**
 * Loads the named kubeconfig files (a path list) and merges them as kubectl does. Without names, loads the file of the
 * home folder, or else the in-cluster configuration. `context` replaces the current context.
 */
export function loadKubeConfig(files: string | undefined, context?: string): KubeConfig {
  const config = mergedFiles(namedIn(files)) ?? inCluster();
  if (context !== undefined) selectContext(config, context);
  if (config.getCurrentCluster()?.server === undefined) throw new Refusal('invalid', NO_CLUSTER);
  return config;
}

const NO_CLUSTER = 'No Kubernetes cluster is configured: set KUBECONFIG or run inside a cluster';

function namedIn(files: string | undefined): readonly string[] {
  const named = (files ?? '').split(delimiter).filter((file) => file !== '');
  const present = named.filter((file) => existsSync(file));
  // A missing file of a list is skipped; a missing single file is an error.
  if (named.length > 0) return present.length > 0 ? present : named.slice(0, 1);
  const ofHome = join(homedir(), '.kube', 'config');
  return existsSync(ofHome) ? [ofHome] : [];
}

function inCluster(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromDefault();
  // The library falls back to this address if it finds no configuration.
  if (config.getCurrentCluster()?.server === 'http://localhost:8080') throw new Refusal('invalid', NO_CLUSTER);
  return config;
}

/** The first file that has a name, or a current context, wins; undefined: there are no files. */
function mergedFiles(files: readonly string[]): KubeConfig | undefined {
  const configs = files.map(readFile);
  const [first, ...others] = configs;
  if (!first || others.length === 0) return first;
  const merged = new KubeConfig();
  merged.loadFromOptions({
    clusters: firstOfName(configs.flatMap(({ clusters }) => clusters)),
    users: firstOfName(configs.flatMap(({ users }) => users)),
    contexts: firstOfName(configs.flatMap(({ contexts }) => contexts)),
    currentContext: configs.map((config) => config.getCurrentContext()).find((name) => name) ?? '',
  });
  return merged;
}

function firstOfName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.name, entry])).values()];
}

const MAX_NAMED = 20;

function selectContext(config: KubeConfig, context: string): void {
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) {
    const known = names.sort().slice(0, MAX_NAMED).join(', ') || 'none';
    throw new Refusal('invalid', `The kubeconfig has no context "${context}". Its contexts are: ${known}`);
  }
  config.setCurrentContext(context);
}

function readFile(file: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
    config.users = withTokenFiles(config.users, file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : 'unknown';
    throw new Refusal('invalid', `The kubeconfig ${file} cannot be used: ${why}`, { cause });
  }
  return config;
}

interface NamedUser {
  readonly name: string;
  readonly user?: { readonly tokenFile?: string } | null;
}

/** Maps `tokenFile`, which the library ignores, to the authProvider that it uses for the token inside a pod. */
function withTokenFiles(users: readonly User[], file: string): User[] {
  const { users: named } = readYaml(readFileSync(file, 'utf8')) as { readonly users?: readonly NamedUser[] };
  return users.map((user) => {
    const tokenFile = named?.find(({ name }) => name === user.name)?.user?.tokenFile;
    if (!tokenFile) return user;
    return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: resolve(dirname(file), tokenFile) } } };
  });
}
