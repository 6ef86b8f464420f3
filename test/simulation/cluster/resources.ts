/** The resources that the model serves, and what a path names. */
import { definitions } from '../../../src/kinds/registry.ts';

export interface Served {
  readonly plural: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** As in messages: `featureflags.vexil.dev`. */
  readonly qualified: string;
  /** Has a status of its own, counts generations and says who owns its fields; nobody reads that of other resources. */
  readonly isCustom: boolean;
  /** Members that the server gives to each object. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

const builtIn: readonly Served[] = [
  {
    ...aResource('events', 'Event', 'events.k8s.io/v1'),
    defaults: { deprecatedSource: {}, deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null },
  },
  aResource('leases', 'Lease', 'coordination.k8s.io/v1'),
  aResource('configmaps', 'ConfigMap', 'v1'),
];

function aResource(plural: string, kind: string, apiVersion: string, isCustom = false): Served {
  const [group = '', version] = apiVersion.split('/');
  return { plural, kind, apiVersion, qualified: version === undefined ? plural : `${plural}.${group}`, isCustom };
}

const served = new Map(
  [...builtIn, ...definitions.map(([, { kind }]) => aResource(kind.plural, kind.kind, 'vexil.dev/v1beta1', true))].map(
    (resource) => [resource.plural, resource],
  ),
);

/** What a path names: a list without a name, a part of an object with a subresource. */
export interface Place {
  readonly resource: Served;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: 'status' | undefined;
}

export function placeOf(path: string): Place {
  const [, namespace = '', plural = '', name, subresource] = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const resource = served.get(plural);
  if (resource === undefined) throw new Error(`The model does not serve ${path}`);
  return { resource, namespace, name, subresource: subresource === 'status' ? 'status' : undefined };
}

/** The place of an object in etcd. */
export function keyAt({ plural }: Served, namespace: string, name: string): string {
  return `/${plural}/${namespace}/${name}`;
}

export function prefixOf({ plural }: Served, namespace: string): string {
  return `/${plural}/${namespace}/`;
}
