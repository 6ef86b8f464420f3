/** Runs the containers of a workload as a kubelet would, in a cluster without one. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorityFile, type ControlPlaneAccess, type ControlPlaneAddress } from './control-plane/access.ts';
import type { Stored } from './stored.ts';

type Variables = Record<string, string>;

/** The path at which every pod finds the token of its ServiceAccount. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

type Cluster = ControlPlaneAccess & ControlPlaneAddress;

export interface Container {
  readonly serviceAccount: string;
  readonly args: readonly string[];
  /** The variables. Paths of volumes are replaced by paths in `folder`. */
  readonly environment: Readonly<Variables>;
  /** The folder that replaces the one with the token. */
  readonly account: string;
}

export interface Pod {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** A pod template. */
  readonly template: Stored;
  /** The folder of the volumes, each under its name. */
  readonly folder: string;
}

/**
 * Returns the only container of a pod. Throws if the pod refers to a missing object, because a kubelet would not start
 * it.
 */
export async function containerOf(pod: Pod): Promise<Container> {
  const { serviceAccountName, containers } = pod.template.spec;
  const [container] = containers;
  const paths = await mounted(pod, container);
  const account = await mountAccount(pod);
  paths.set(ACCOUNT, account);
  const variables = [
    ...whereTheApiServerIs(pod.cluster),
    ...(await fromWholes(pod, container)),
    ...(await fromParts(pod, container)),
  ];
  const relocatedOnes = variables.map(([name, text]) => [name, relocated(text, paths)] as const);
  const environment = Object.fromEntries(relocatedOnes);
  return { serviceAccount: serviceAccountName, args: container.args ?? [], environment, account };
}

function whereTheApiServerIs({ server }: Cluster): readonly Variable[] {
  const { hostname, port } = new URL(server);
  return [
    ['KUBERNETES_SERVICE_HOST', hostname],
    ['KUBERNETES_SERVICE_PORT', port],
  ];
}

async function mountAccount({ cluster, namespace, template, folder }: Pod): Promise<string> {
  const path = join(folder, 'account');
  await mkdir(path, { recursive: true });
  const token = await cluster.kubectlOrThrow(['create', 'token', template.spec.serviceAccountName, '-n', namespace]);
  await writeFile(join(path, 'token'), token.trim(), { mode: 0o600 });
  await writeFile(join(path, 'ca.crt'), await readFile(authorityFile(cluster.directory)));
  await writeFile(join(path, 'namespace'), namespace);
  return path;
}

async function mounted(pod: Pod, { volumeMounts = [] }: Stored): Promise<Map<string, string>> {
  const { volumes = [] } = pod.template.spec;
  const paths = new Map<string, string>();
  for (const { name, mountPath } of volumeMounts) {
    const volume = volumes.find((one: Stored) => one.name === name);
    paths.set(mountPath, await mount(pod, volume));
  }
  return paths;
}

type Variable = readonly [name: string, text: string];

async function fromWholes(pod: Pod, { envFrom = [] }: Stored): Promise<readonly Variable[]> {
  const wholes = await Promise.all(envFrom.map((source: Stored) => wholeOf(pod, source)));
  return wholes.flatMap((whole) => Object.entries(whole));
}

/** The variables of `env`. They override those of `envFrom`. */
async function fromParts(pod: Pod, { env = [] }: Stored): Promise<readonly Variable[]> {
  const parts = env.map(async ({ name, value = '', valueFrom }: Stored) => {
    const text = valueFrom ? await partOf(pod, valueFrom) : value;
    return text === undefined ? [] : [[name, text] as const];
  });
  return ((await Promise.all(parts)) as Variable[][]).flat();
}

/** Replaces a path at the beginning of the text, alone or after a scheme, as in `sqlite:/var/lib/…`. */
function relocated(text: string, paths: ReadonlyMap<string, string>): string {
  const found = [...paths].find(([path]) => text === path || text.startsWith(`${path}/`) || text.includes(`:${path}/`));
  return found ? text.replace(...found) : text;
}

async function mount({ cluster, namespace, folder }: Pod, volume: Stored): Promise<string> {
  const path = join(folder, volume.name);
  await mkdir(path, { recursive: true });
  const { emptyDir, persistentVolumeClaim: claim, secret, configMap } = volume;
  if (claim) await read(cluster, namespace, `persistentvolumeclaims/${claim.claimName}`);
  const files = secret
    ? decoded((await read(cluster, namespace, `secrets/${secret.secretName}`)).data)
    : configMap
      ? (await read(cluster, namespace, `configmaps/${configMap.name}`)).data
      : {};
  if (!claim && !secret && !configMap && !emptyDir) throw new Error(`no such volume here: ${JSON.stringify(volume)}`);
  for (const [name, text] of Object.entries<string>(files)) await writeFile(join(path, name), text);
  return path;
}

async function wholeOf({ cluster, namespace }: Pod, { configMapRef, secretRef }: Stored): Promise<Variables> {
  if (configMapRef) return (await read(cluster, namespace, `configmaps/${configMapRef.name}`)).data ?? {};
  return decoded((await read(cluster, namespace, `secrets/${secretRef.name}`)).data);
}

async function partOf(
  { cluster, namespace }: Pod,
  { secretKeyRef: secret, fieldRef }: Stored,
): Promise<string | undefined> {
  if (fieldRef?.fieldPath === 'metadata.namespace') return namespace;
  if (secret === undefined) throw new Error(`a variable from ${JSON.stringify(fieldRef)} is not known here`);
  const found = await read(cluster, namespace, `secrets/${secret.name}`).catch((error: unknown) => {
    if (secret.optional) return undefined;
    throw error;
  });
  const value = decoded(found?.data ?? {})[secret.key];
  if (value === undefined && !secret.optional) throw new Error(`the Secret ${secret.name} has no key ${secret.key}`);
  return value;
}

async function read(cluster: Cluster, namespace: string, what: string): Promise<Stored> {
  return cluster.getObject(what, namespace);
}

function decoded(values: Readonly<Variables> = {}): Variables {
  const texts = Object.entries(values).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
  return Object.fromEntries(texts);
}
