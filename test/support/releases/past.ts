/** Objects of an earlier release, stored under its definitions as its operator left them. */
import { readFile } from 'node:fs/promises';
import { parse, parseAllDocuments } from 'yaml';
import type { Transport } from '../../../src/kube/api/transport.ts';
import type { Constraint } from '../../../src/schema/constraint.ts';
import { aFlag, aStrategyType, type Manifest } from '../builders.ts';
import type { ControlPlaneAccess } from '../control-plane/access.ts';
import type { Stored } from '../stored.ts';
import { frozenPath } from './frozen.ts';

/** The namespace of the frozen objects. */
const FROZEN_HOME = 'old-home';

/** What the cluster has of a release, in a namespace of its own. */
export interface Past {
  readonly home: string;
  /** The text of objects.yaml. */
  readonly yaml: string;
  readonly manifests: readonly Manifest[];
  /** The statuses as the former operator wrote them, by title. */
  readonly statuses: Readonly<Record<string, Stored>>;
  /** The objects as they are now. */
  everyObject(): Promise<ReadonlyMap<string, Stored>>;
}

export const titleOf = ({ kind, metadata }: Manifest | Stored): string => `${kind}/${metadata.name}`;
export const pathOf = ({ apiVersion, kind, metadata: { namespace, name } }: Manifest): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;

/** The definitions of the release must be installed. */
export async function storePast(plane: ControlPlaneAccess, transport: Transport, release: string): Promise<Past> {
  const home = release.replace('schema', 'of');
  const textOf = async (file: string) =>
    (await readFile(frozenPath(release, file), 'utf8')).replaceAll(FROZEN_HOME, home);
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  const yaml = await textOf('objects.yaml');
  const manifests = parseAllDocuments(yaml).map((document) => document.toJS() as Manifest);
  await plane.kubectlOrThrow(['apply', '--validate=strict', '-f', '-'], { input: yaml });
  const statuses = parse(withPresentTimes(await textOf('status.yaml')));
  for (const manifest of manifests) await writeStatus(transport, manifest, statuses[titleOf(manifest)]);
  await plane.kubectlOrThrow(['create', '-f', '-'], { input: await textOf('ids.yaml') });
  const everyObject = async () => {
    const read = manifests.map((manifest) => transport.request({ method: 'GET', path: pathOf(manifest) }));
    return new Map((await Promise.all(read)).map((object: Stored) => [titleOf(object), object]));
  };
  return { home, yaml, manifests, statuses, everyObject };
}

/** The times of this test, because a condition must not be older than its object. */
function withPresentTimes(text: string): string {
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  return text.replace(/(lastTransitionTime: ).*/g, `$1${now}`);
}

async function writeStatus(transport: Transport, manifest: Manifest, status: unknown): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  await transport.request({
    method: 'PATCH',
    path: `${pathOf(manifest)}/status`,
    query: { fieldManager: 'vexil', force: true },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, status },
  });
}

export const OLD = 'old-values';

/** Values that the definitions of version 0.1.0 accepted, and the present ones do not accept in a new object. */
export function formerValues(home: string) {
  const constraints: readonly Constraint[] = [
    { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2020-01-31' },
    { contextName: 'birthday', operator: 'DATE_BEFORE', value: '2026-01-31T12:00:00Z' },
    { contextName: 'version', operator: 'SEMVER_GT', value: '1.2.3-01' },
    { contextName: 'age', operator: 'NUM_GT', value: '.5' },
    { contextName: 'a"b', operator: 'IN', values: ['ends in \\'] },
  ];
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout: '12.5', groupId: 'a "quoted" group', stickiness: 'default' },
    constraints: [...constraints],
  };
  const flag = aFlag(`${home}/${OLD}`, {
    project: 'shop',
    environments: { production: { enabled: true, strategies: { old: strategy } } },
  });
  /** All values have a form that all SDKs read alike. */
  const normalised = aFlag(`${home}/normalised`, {
    project: 'shop',
    environments: {
      production: {
        enabled: true,
        strategies: {
          old: {
            name: 'flexibleRollout',
            parameters: { rollout: '12.5' },
            constraints: constraints.filter(({ value }) => value === '2020-01-31' || value === '.5'),
          },
        },
      },
    },
  });
  /** A strategy type of this name was a custom type until the type became a built-in one. */
  const type = aStrategyType(`${home}/gradual`, { name: 'gradualRolloutUserId' });
  return { constraints, strategy, flag, normalised, type };
}
