/** Calls for FeatureFlags: those of a replica, and of the people in the worlds. */
import {
  aWatch,
  type CallPlace,
  type Choice,
  MERGE_PATCH,
  pageOf,
  type ScriptedCalls,
  VERSION_TO_COME,
  WITH_LIST,
} from './script-step.ts';

const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const identity = { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag' };
const exactly = ({ version }: Pick<CallPlace, 'version'>) => ({
  ...{ resourceVersion: version, resourceVersionMatch: 'Exact' },
});

const specOf = ({ number, flag }: Choice) => ({
  description: `${number}`,
  environments: { production: { enabled: flag, strategies: { [`s${number % 2}`]: { name: 'default' } } } },
  ...(flag && { tags: [`simple:t${number}`] }),
});
const statusOf = ({ number, flag }: Choice) => ({
  observedGeneration: number,
  ...(flag && { environments: { production: { enabled: true, strategies: number } } }),
});

export const flagCalls: ScriptedCalls = {
  path: (namespace) => `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags`,
  calls: {
    create: (choice, { all, namespace }) => ({
      ...{ method: 'POST', path: all, query: { fieldManager: 'kubectl-create' } },
      body: { ...identity, metadata: { name: choice.name, namespace }, spec: specOf(choice) },
    }),
    get: (_, { one }) => ({ method: 'GET', path: one }),
    'patch the spec': (choice, { one }) => ({
      ...{ method: 'PATCH', path: one, contentType: MERGE_PATCH, query: { fieldManager: 'kubectl-edit' } },
      body: { spec: specOf(choice) },
    }),
    'remove a field': (_, { one }) => ({
      ...{ method: 'PATCH', path: one, contentType: MERGE_PATCH, query: { fieldManager: 'kubectl-edit' } },
      body: { spec: { description: null, tags: null } },
    }),
    'patch a version': (choice, { one, version }) => ({
      ...{ method: 'PATCH', path: one, contentType: JSON_PATCH, query: { fieldManager: 'vexil-api' } },
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: version },
        { op: 'add', path: '/spec/description', value: `${choice.number}` },
      ],
    }),
    'stamp a version': ({ number }, { one, version }) => ({
      ...{ method: 'PATCH', path: one, contentType: JSON_PATCH, query: { fieldManager: 'vexil-api' } },
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: version },
        { op: 'add', path: '/metadata/annotations', value: { stamp: `${number}` } },
      ],
    }),
    'patch what is not there': (_, { one }) => ({
      ...{ method: 'PATCH', path: one, contentType: JSON_PATCH, query: { fieldManager: 'vexil-api' } },
      body: [{ op: 'replace', path: '/spec/lifetimeDays', value: 7 }],
    }),
    'apply a status': (choice, { one, namespace, uid, version }) => ({
      ...{ method: 'PATCH', path: `${one}/status`, contentType: APPLY, query: { fieldManager: 'vexil', force: true } },
      body: {
        ...identity,
        metadata: { name: choice.name, namespace, uid, resourceVersion: version },
        status: statusOf(choice),
      },
    }),
    'replace a status': (choice, { one, version }) => ({
      ...{ method: 'PATCH', path: `${one}/status`, contentType: JSON_PATCH, query: { fieldManager: 'vexil' } },
      body: [
        { op: 'replace', path: '/metadata/resourceVersion', value: version },
        { op: 'add', path: '/status', value: statusOf(choice) },
      ],
    }),
    'delete a version': (_, { one, uid, version }) => ({
      ...{ method: 'DELETE', path: one },
      body: {
        ...{ apiVersion: 'v1', kind: 'DeleteOptions' },
        preconditions: { uid, resourceVersion: version },
      },
    }),
    delete: (_, { one }) => ({ method: 'DELETE', path: one }),
    'list a page': (_, place) => pageOf({ ...place, pages: new Map() }, {}),
    'list the next page': (_, place) => pageOf(place, {}),
    'list a page at a version': (_, place) => pageOf({ ...place, pages: new Map() }, exactly(place)),
    'list at a version': (_, place) => ({ method: 'GET', path: place.all, query: { ...exactly(place), limit: 500 } }),
    'list metadata at a version': ({ flag }, place) => ({
      ...{ method: 'GET', path: place.all, query: { ...exactly(place), limit: flag ? 500 : 1 } },
      accept: METADATA_ONLY,
    }),
    'list one by name at a version': ({ name, flag }, place) => ({
      ...{ method: 'GET', path: place.all },
      query: { ...exactly(place), fieldSelector: `metadata.name=${name}`, limit: 1 },
      accept: flag ? METADATA_ONLY : undefined,
    }),
    'list metadata': (_, { all }) => ({ method: 'GET', path: all, query: { limit: 1 }, accept: METADATA_ONLY }),
    'watch from a version': (_, { all, version }) => aWatch(all, { resourceVersion: version }),
    'watch from a version that was dropped': (_, { all }) => aWatch(all, { resourceVersion: '1' }),
    'watch from a version to come': (_, { all }) => aWatch(all, { resourceVersion: VERSION_TO_COME }),
    'watch from a list on': (_, { all }) => aWatch(all, WITH_LIST),
  },
};
