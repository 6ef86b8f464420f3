/** Finds the operator in a cluster by its Deployment. */
import { recordOf, recordsIn } from '../../src/model/json.ts';
import { inReach } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import { metadataOf } from '../manifests/ref.ts';
import { EXIT } from '../terminal.ts';
import type { CheckedCluster, Installation, ReadObject } from './check.ts';

const DEPLOYMENTS = { plural: 'deployments', root: 'apis/apps/v1' };
const CONFIG_MAPS = { plural: 'configmaps', root: 'api/v1' };

/**
 * Looks in the namespace, or in all namespaces; in that of the context if the user may not list all. Undefined if there
 * is no operator. Throws a Failure if there are several.
 */
export async function findInstallation(
  cluster: CheckedCluster,
  wanted: string | undefined,
  ofContext: string,
): Promise<Installation | undefined> {
  if (['.', '..'].includes(wanted ?? ofContext))
    throw new Failure(`"${wanted ?? ofContext}" is no name of a namespace`, EXIT.usage);
  const list = (namespace: string | undefined) => cluster.list(DEPLOYMENTS, namespace);
  const found = (await inReach({ namespace: ofContext }, wanted, list)).filter(isOperator);
  const [deployment, ...others] = found;
  if (deployment === undefined) return undefined;
  if (others.length > 0) {
    const places = found.map((one) => `${metadataOf(one)['namespace']}/${metadataOf(one)['name']}`).join(', ');
    throw new Failure(`there are several operators: ${places}. Select one with -n`, EXIT.usage);
  }
  return describe(cluster, deployment);
}

/** The labels of the pods are those that the Service selects, for Helm and for kustomize. */
function isOperator(deployment: ReadObject): boolean {
  const labels = recordOf(metadataOf(templateOf(deployment))['labels']);
  return labels['app.kubernetes.io/name'] === 'vexil' && labels['app.kubernetes.io/component'] === 'operator';
}

function templateOf(deployment: ReadObject): ReadObject {
  return recordOf(recordOf(deployment['spec'])['template']);
}

export function podSpecOf(deployment: ReadObject): ReadObject {
  return recordOf(templateOf(deployment)['spec']);
}

export function containerOfOperator(deployment: ReadObject): ReadObject {
  const containers = recordsIn(podSpecOf(deployment)['containers']);
  return containers.find(({ name }) => name === 'vexil') ?? containers[0] ?? {};
}

async function describe(cluster: CheckedCluster, deployment: ReadObject): Promise<Installation> {
  const { name, namespace, labels, annotations } = metadataOf(deployment);
  const place = String(namespace);
  return {
    namespace: place,
    name: String(name),
    account: String(podSpecOf(deployment)['serviceAccountName'] ?? 'default'),
    isOfHelm: recordOf(labels)['app.kubernetes.io/managed-by'] === 'Helm',
    release: String(recordOf(annotations)['meta.helm.sh/release-name'] ?? name),
    deployment,
    settings: await settingsOf(cluster, place, containerOfOperator(deployment)),
  };
}

/** A variable of `env` goes before one of a ConfigMap. */
async function settingsOf(
  cluster: CheckedCluster,
  namespace: string,
  { env, envFrom }: ReadObject,
): Promise<ReadonlyMap<string, string>> {
  const settings = new Map<string, string>();
  for (const { configMapRef } of recordsIn(envFrom)) {
    const name = recordOf(configMapRef)['name'];
    const map = typeof name === 'string' ? await cluster.get({ kind: CONFIG_MAPS, namespace, name }) : {};
    for (const [key, value] of Object.entries(recordOf(map?.['data']))) settings.set(key, String(value));
  }
  for (const { name, value } of recordsIn(env)) {
    if (typeof value === 'string') settings.set(String(name), value);
  }
  return settings;
}
