/** The rules of the kinds at the API server while no operator runs: they are the same as the operator's own rules. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { detailMessage, detailPath } from '../../src/model/invalid-input.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { type KindName, kindsByName } from '../../src/schema/kinds.ts';
import { sharedCluster } from '../support/cluster.ts';
import { namespaceRows, objectRows } from '../unit/schema/object-rows.ts';
import { rowsByKind, titled } from '../unit/schema/rule-rows.ts';

let transport: Transport;
let namespace: string;

beforeAll(async () => {
  const cluster = sharedCluster();
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  namespace = await cluster.freshNamespace('rules');
});

interface Creation {
  readonly path: string;
  readonly body: object;
  /** The field validation of kubectl: an unknown field is refused before anything else. */
  readonly fieldValidation?: 'Strict';
}

/** The refusal of a creation by the API server; undefined if the object fits. */
async function refusalOf({ path, body, fieldValidation }: Creation): Promise<ClusterError | undefined> {
  try {
    await transport.request({ method: 'POST', path, query: { dryRun: 'All', fieldValidation }, body });
    return undefined;
  } catch (error) {
    if (error instanceof ClusterError) return error;
    throw error;
  }
}

function creationOf(name: KindName, metadata: object, spec: unknown): Creation {
  const kind = kindsByName[name];
  const body = { apiVersion: API_VERSION, kind: kind.kind, metadata: { name: 'x', namespace, ...metadata }, spec };
  return { path: resourcePath(kind, namespace), body };
}

describe.each(rowsByKind)('%s', (name, { always, whenWritten }) => {
  test.each([...always, ...whenWritten].map(titled))('%s %s', async (_verb, _title, { spec, refused }) => {
    const refusal = await refusalOf(creationOf(name, {}, spec));
    if (refused === undefined) {
      expect(refusal?.message).toBeUndefined();
      return;
    }
    expect(refusal?.code).toBe('invalid');
    const found = refusal?.details.filter((detail) => detailPath(detail) === refused.field).map(detailMessage) ?? [];
    expect(found.join('\n'), `${refused.field} in ${JSON.stringify(refusal?.details)}`).toMatch(refused.says);
  });
});

test.each(objectRows.map(titled))('%s %s', async (_verb, _title, { kind, metadata, spec, refused }) => {
  const refusal = await refusalOf({ ...creationOf(kind, metadata, spec), fieldValidation: 'Strict' });
  if (refused === undefined) {
    expect(refusal?.message).toBeUndefined();
    return;
  }
  expect(refusal?.code).toBe('invalid');
  const paths = refusal?.details.map(detailPath) ?? [];
  // The API server refuses as a whole what it cannot decode.
  if (paths.length > 0) expect(paths).toContain(refused.field);
  expect(refusal?.message).toContain(refused.says);
});

test.each(namespaceRows)('a namespace %s can exist: %s', async (name, ok) => {
  const refusal = await refusalOf({
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  });
  expect(refusal?.code).toBe(ok ? undefined : 'invalid');
});
