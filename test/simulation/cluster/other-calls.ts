/** Calls for objects of other kinds that a replica reads and writes. */
import { aWatch, MERGE_PATCH, pageOf, type ScriptedCalls, WITH_LIST } from './script-step.ts';

const LABEL = 'vexil.dev/audit';
const byVexil = { fieldManager: 'vexil' };
const labelled = { labelSelector: `${LABEL}=1` };

const leaseSpecOf = (number: number) => ({
  holderIdentity: `vexil-${number}`,
  leaseDurationSeconds: 15,
  renewTime: `2026-01-01T00:00:0${number}.000000Z`,
});

/** Leader election. */
export const leaseCalls: ScriptedCalls = {
  path: (namespace) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
  calls: {
    'read the Lease': (_, { one }) => ({ method: 'GET', path: one }),
    'take the Lease': ({ name, number }, { all, namespace }) => ({
      ...{ method: 'POST', path: all },
      body: {
        ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
        ...{ metadata: { namespace, name }, spec: leaseSpecOf(number) },
      },
    }),
    'renew the Lease': ({ name, number }, { one, namespace, version }) => ({
      ...{ method: 'PUT', path: one },
      body: {
        ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
        ...{ metadata: { namespace, name, resourceVersion: version }, spec: leaseSpecOf(number) },
      },
    }),
    // A restored backup may be older than the Lease.
    'delete the Lease': (_, { one }) => ({ method: 'DELETE', path: one }),
  },
};

/** The highest ids, and the claims of names. */
export const configMapCalls: ScriptedCalls = {
  path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  calls: {
    'read the ConfigMap': (_, { one }) => ({ method: 'GET', path: one }),
    'create the ConfigMap': ({ name, number }, { all, namespace }) => ({
      ...{ method: 'POST', path: all, query: byVexil },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { flags: `${number}` } },
    }),
    'write the ConfigMap': ({ flag, number }, { one, version }) => ({
      ...{ method: 'PATCH', path: one, contentType: MERGE_PATCH, query: byVexil },
      body: {
        metadata: { resourceVersion: version },
        data: { flags: `${number}`, segments: flag ? '7' : null },
      },
    }),
    'delete the ConfigMap': (_, { one }) => ({ method: 'DELETE', path: one }),
    'list the ConfigMap by name': ({ name }, { all }) => ({
      ...{ method: 'GET', path: all, query: { limit: 1, fieldSelector: `metadata.name=${name}` } },
    }),
    'list at a version': (_, { all, version }) => ({
      ...{ method: 'GET', path: all },
      query: { limit: 500, resourceVersion: version, resourceVersionMatch: 'Exact' },
    }),
    'watch the ConfigMap from a list on': ({ name }, { all }) =>
      aWatch(all, { ...WITH_LIST, fieldSelector: `metadata.name=${name}` }),
    'watch the ConfigMap from a version': ({ name }, { all, uid, version }) =>
      aWatch(all, { ...(uid ? { resourceVersion: version } : WITH_LIST), fieldSelector: `metadata.name=${name}` }),
  },
};

/** Events about objects, and those of the history, which have a label. */
export const eventCalls: ScriptedCalls = {
  path: (namespace) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  calls: {
    'publish an Event': ({ name, number, flag }, { all, namespace }) => ({
      ...{ method: 'POST', path: all },
      body: {
        ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event' },
        metadata: {
          ...{ namespace, name: `${name}.${number}` },
          ...(flag && { labels: { [LABEL]: '1' }, annotations: { 'vexil.dev/audit-entry': `{"id":${number}}` } }),
        },
        ...{ eventTime: '2026-01-01T00:00:00.123456Z', type: 'Normal', reason: 'Changed', action: 'Changed' },
        ...{ note: `${number}`, reportingController: 'vexil.dev/operator', reportingInstance: 'vexil-0' },
        regarding: { apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', namespace, name, uid: 'some' },
      },
    }),
    'list a page of Events of the history': (_, place) => pageOf({ ...place, pages: new Map() }, labelled),
    'list the next page of Events of the history': (_, place) => pageOf(place, labelled),
    'list Events of the history': (_, { all }) => ({ method: 'GET', path: all, query: { ...labelled, limit: 500 } }),
  },
};
