/** Scripts of calls, which the model and the real API server must answer alike. */
import type { Call } from '../../../src/kube/api/transport.ts';
import { createSchedule } from '../schedule.ts';

/** What a client knows of an object. */
export interface Known {
  readonly uid: string;
  readonly version: string;
  /** All that it has seen, the oldest first. */
  readonly versions: readonly string[];
}

export interface Step {
  readonly what: string;
  /** The call to a server whose client knows this. */
  callFor(namespace: string, known: ReadonlyMap<string, Known>): Call;
}

interface Choice {
  readonly name: string;
  readonly isStale: boolean;
  readonly number: number;
  readonly flag: boolean;
}

type Operation = (choice: Choice, place: Place) => Call;

interface Place {
  readonly all: string;
  readonly one: string;
  readonly namespace: string;
  readonly known: Known | undefined;
  /** A version that the client has seen: the last one, or an earlier one. */
  readonly version: string;
}

const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const identity = { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag' };
const UNKNOWN_UID = '00000000-0000-4000-8000-00000000ffff';

const specOf = ({ number, flag }: Choice) => ({
  description: `${number}`,
  environments: { production: { enabled: flag, strategies: { [`s${number % 2}`]: { name: 'default' } } } },
  ...(flag && { tags: [`simple:t${number}`] }),
});
const statusOf = ({ number, flag }: Choice) => ({
  observedGeneration: number,
  ...(flag && { environments: { production: { enabled: true, strategies: number } } }),
});

const operations: Readonly<Record<string, Operation>> = {
  create: (choice, { all, namespace }) => ({
    ...{ method: 'POST', path: all, query: { fieldManager: 'kubectl-create' } },
    body: { ...identity, metadata: { name: choice.name, namespace }, spec: specOf(choice) },
  }),
  'create on trial': (choice, { all, namespace }) => ({
    ...{ method: 'POST', path: all, query: { fieldManager: 'kubectl-create', dryRun: 'All' } },
    body: { ...identity, metadata: { name: choice.name, namespace }, spec: specOf(choice) },
  }),
  'create with a version': (choice, { all, namespace }) => ({
    ...{ method: 'POST', path: all },
    body: { ...identity, metadata: { name: `${choice.name}-x`, namespace, resourceVersion: '5' }, spec: {} },
  }),
  get: (_, { one }) => ({ method: 'GET', path: one }),
  list: (_, { all }) => ({ method: 'GET', path: all }),
  'list a page': (_, { all }) => ({ method: 'GET', path: all, query: { limit: 1 } }),
  'list by name': ({ name }, { all }) => ({
    method: 'GET',
    path: all,
    query: { fieldSelector: `metadata.name=${name}` },
  }),
  'list metadata': (_, { all }) => ({
    ...{ method: 'GET', path: all },
    accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  }),
  'list at a version': (_, { all, version }) => ({
    ...{ method: 'GET', path: all, query: { resourceVersion: version, resourceVersionMatch: 'Exact', limit: 500 } },
  }),
  'patch the spec': (choice, { one }) => ({
    ...{ method: 'PATCH', path: one, contentType: MERGE, query: { fieldManager: 'kubectl-edit' } },
    body: { spec: specOf(choice) },
  }),
  'remove a field': (_, { one }) => ({
    ...{ method: 'PATCH', path: one, contentType: MERGE, query: { fieldManager: 'kubectl-edit' } },
    body: { spec: { description: null, tags: null } },
  }),
  'patch a version': (choice, { one, version }) => ({
    ...{ method: 'PATCH', path: one, contentType: JSON_PATCH, query: { fieldManager: 'vexil-api' } },
    body: [
      { op: 'replace', path: '/metadata/resourceVersion', value: version },
      { op: 'add', path: '/spec/description', value: `${choice.number}` },
    ],
  }),
  'patch what is not there': (_, { one }) => ({
    ...{ method: 'PATCH', path: one, contentType: JSON_PATCH, query: { fieldManager: 'vexil-api' } },
    body: [{ op: 'replace', path: '/spec/lifetimeDays', value: 7 }],
  }),
  'apply a status': (choice, { one, namespace, version, known }) => ({
    ...{ method: 'PATCH', path: `${one}/status`, contentType: APPLY, query: { fieldManager: 'vexil', force: true } },
    body: {
      ...identity,
      metadata: { name: choice.name, namespace, uid: known?.uid, resourceVersion: version },
      status: statusOf(choice),
    },
  }),
  'patch a status': (choice, { one }) => ({
    ...{ method: 'PATCH', path: `${one}/status`, contentType: MERGE, query: { fieldManager: 'vexil' } },
    body: { status: { observedGeneration: choice.number } },
  }),
  'apply as a GitOps tool': (choice, { one, namespace, known }) => ({
    ...{
      method: 'PATCH',
      path: one,
      contentType: APPLY,
      query: { fieldManager: 'argocd-controller', force: choice.flag },
    },
    body: {
      ...identity,
      metadata: { name: choice.name, namespace, ...(known && { uid: known.uid }) },
      spec: { description: `git ${choice.number}`, ...(choice.number > 2 && { stale: true }) },
    },
  }),
  'delete a version': (_, { one, known, version }) => ({
    ...{ method: 'DELETE', path: one },
    body: {
      ...{ apiVersion: 'v1', kind: 'DeleteOptions' },
      preconditions: { uid: known?.uid ?? UNKNOWN_UID, resourceVersion: version },
    },
  }),
  'delete another object': (_, { one }) => ({
    ...{ method: 'DELETE', path: one },
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: UNKNOWN_UID } },
  }),
  'delete on trial': (_, { one }) => ({
    ...{ method: 'DELETE', path: one },
    body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] },
  }),
};

/** The same script for the same seed. */
export function aScript(seed: number, steps: number): readonly Step[] {
  const { below, pick } = createSchedule(seed);
  return Array.from({ length: steps }, (_, index): Step => {
    const [what, operation] = pick(Object.entries(operations).slice(0, index < 2 ? 1 : undefined));
    const choice: Choice = {
      name: `script-${seed}-${pick(['a', 'b'])}`,
      isStale: below(3) === 0,
      number: below(5),
      flag: below(2) === 0,
    };
    return {
      what: `${what} ${JSON.stringify(choice)}`,
      callFor(namespace, allKnown) {
        const all = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`;
        const known = allKnown.get(choice.name);
        const version = (choice.isStale ? known?.versions[0] : known?.version) ?? '1';
        const place = { all, one: `${all}/${choice.name}`, namespace, known, version };
        return operation(choice, place);
      },
    };
  });
}
