/** The author policy in the namespaces of one test, and the stamps that it writes. */
import { ClusterError } from '../../src/errors.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { abilitiesOf } from './control-plane/abilities.ts';
import type { ControlPlaneAccess } from './control-plane/access.ts';
import { installPolicyIn, untilRefused } from './control-plane/install-admission.ts';
import { objectPath } from './control-plane/objects.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

const KINDS = ['Environment', 'Project', 'FeatureFlag'];

/** Resolves when the policy stamps what is written in these namespaces. */
export async function installAuthorPolicy(
  cluster: ControlPlaneAccess,
  namespaces: readonly [home: string, ...watched: string[]],
): Promise<void> {
  await installPolicyIn(cluster, 'author.yaml', namespaces);
  await untilStamped(cluster, namespaces);
}

/**
 * Resolves when the shipped policy about authors of this API server is in effect: the one that records them, or the one
 * against forging.
 */
export async function untilAuthorsAreGuarded(
  cluster: ControlPlaneAccess,
  namespaces: readonly string[],
): Promise<void> {
  const { recordsAuthors } = await abilitiesOf(cluster);
  if (recordsAuthors) return untilStamped(cluster, namespaces);
  const metadata = { name: 'probe', annotations: { 'vexil.dev/changed-by': 'somebody-else' } };
  const body = { apiVersion: API_VERSION, kind: 'FeatureFlag', metadata, spec: { project: 'probe' } };
  for (const namespace of namespaces) {
    const path = objectPath('ff', namespace);
    await untilRefused(cluster, { method: 'POST', path, query: { dryRun: 'All' }, body });
  }
}

/**
 * Resolves when the policy stamps every kind. From the time when the policy takes effect until the API server has read
 * the list of kinds again, it refuses new kinds.
 */
export async function untilStamped(cluster: ControlPlaneAccess, namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) {
    await waitUntil({ what: `the policy is in effect in ${namespace}` }, async () => {
      const stamps = await Promise.all(KINDS.map((kind) => stampOfProbe(cluster, kind, namespace)));
      return stamps.every((stamp) => stamp?.['changed-by'] !== undefined);
    });
  }
}

/** The stamp that a dry run would write; undefined if it is refused. */
async function stampOfProbe(cluster: ControlPlaneAccess, kind: string, namespace: string) {
  const body = { apiVersion: API_VERSION, kind, metadata: { name: 'probe' }, spec: {} };
  const path = objectPath(kind, namespace);
  try {
    return stampOf(await cluster.request({ method: 'POST', path, query: { dryRun: 'All' }, body }));
  } catch (error) {
    if (error instanceof ClusterError) return undefined;
    throw error;
  }
}

/** The annotations of an object about authors, without the domain. */
export function stampOf({ metadata }: Stored): Readonly<Record<string, string>> {
  const entries = Object.entries<string>(metadata.annotations ?? {});
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const [, name] = /^vexil\.dev\/((?:created|changed|deleted)-.*)$/.exec(key) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * The fields that vexil-api owns of an object that kubectl has applied: these fields of the spec, and the annotations
 * that name the author.
 */
export function ownedWithStamp(spec: object): object {
  const names = ['by', 'from', 'generation', 'via'].map((name) => `f:vexil.dev/changed-${name}`);
  return {
    'f:metadata': { 'f:annotations': Object.fromEntries(names.map((name) => [name, {}])) },
    'f:spec': spec,
  };
}
