/** The rules of the kinds, as the API server applies them while no operator runs: the same as the operator's own. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { detailMessage, detailPath } from '../../src/model/error-detail.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { apiToken } from '../../src/schema/api-token.ts';
import { environment } from '../../src/schema/environment.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { flagRole } from '../../src/schema/flag-role.ts';
import { flagUser } from '../../src/schema/flag-user.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { project } from '../../src/schema/project.ts';
import { segment } from '../../src/schema/segment.ts';
import { strategyDefinition } from '../../src/schema/strategy-definition.ts';
import { sharedCluster } from '../support/cluster.ts';
import { flagRows } from '../unit/schema/flag-rows.ts';
import { freezeRows } from '../unit/schema/freeze-rows.ts';
import {
  permissionRows,
  roleRows,
  strategyDefinitionRows,
  takenRoleNames,
  takenStrategyNames,
  userRows,
} from '../unit/schema/people-rows.ts';
import { environmentRows, namingRows, projectRows } from '../unit/schema/project-rows.ts';
import { segmentRows } from '../unit/schema/segment-rows.ts';
import type { SpecRow } from '../unit/schema/spec-row.ts';
import { laterRows, patternRows, strategyRows } from '../unit/schema/strategy-rows.ts';
import { tokenRows } from '../unit/schema/token-rows.ts';

let transport: Transport;
let namespace: string;

beforeAll(async () => {
  const cluster = sharedCluster();
  transport = connect(loadKubeConfig(cluster.kubeconfig));
  namespace = await cluster.freshNamespace('rules');
});

type AnyKind = (typeof kinds)[number];

/** What the API server says to a creation that it does not carry out; nothing when it fits. */
async function refusalOf(kind: AnyKind, name: string, spec: unknown): Promise<ClusterError | undefined> {
  const body = { apiVersion: API_VERSION, kind: kind.kind, metadata: { name, namespace }, spec };
  try {
    await transport.request({ method: 'POST', path: resourcePath(kind, namespace), query: { dryRun: 'All' }, body });
    return undefined;
  } catch (error) {
    if (error instanceof ClusterError) return error;
    throw error;
  }
}

const asTuple = (row: SpecRow) => [row.refused ? 'refuses' : 'takes', row.title, row] as const;

describe.each([
  ['FeatureFlag', featureFlag, [...flagRows, ...strategyRows, ...laterRows, ...patternRows]],
  ['Project', project, [...projectRows, ...namingRows]],
  ['Environment', environment, [...environmentRows, ...freezeRows]],
  ['FlagUser', flagUser, userRows],
  ['FlagRole', flagRole, [...roleRows, ...permissionRows]],
  ['ApiToken', apiToken, tokenRows],
  ['StrategyDefinition', strategyDefinition, strategyDefinitionRows],
  ['Segment', segment, segmentRows],
] as const)('%s', (_, kind, rows) => {
  test.each(rows.map(asTuple))('%s %s', async (_verb, _title, { spec, refused }) => {
    const refusal = await refusalOf(kind, 'x', spec);
    if (refused === undefined) {
      expect(refusal?.message).toBeUndefined();
      return;
    }
    expect(refusal?.code).toBe('invalid');
    const found = refusal?.details.filter((detail) => detailPath(detail) === refused.field).map(detailMessage) ?? [];
    expect(found.join('\n'), `${refused.field} in ${JSON.stringify(refusal?.details)}`).toMatch(refused.says);
  });
});

describe('a name of the object that is too long for the wire', () => {
  const name = 'x'.repeat(101);
  const fieldOf = (kind: AnyKind) => (kind.kind === 'FlagUser' ? 'username' : 'name');
  const least = (kind: AnyKind) => (kind.kind === 'ApiToken' ? { type: 'admin' } : {});

  test.each(kinds)('is refused for a $kind', async (kind) => {
    expect((await refusalOf(kind, name, least(kind)))?.details).toEqual([
      { path: `spec.${fieldOf(kind)}`, message: expect.stringContaining(`set spec.${fieldOf(kind)}`) },
    ]);
    expect(await refusalOf(kind, name, null)).toBeDefined();
  });

  test.each(kinds)('is fine for a $kind that has a name of its own', async (kind) => {
    expect(await refusalOf(kind, name, { ...least(kind), [fieldOf(kind)]: 'short' })).toBeUndefined();
  });
});

test('a flag that depends on itself is refused, by the name of the object and by its own', async () => {
  for (const spec of [{ dependencies: [{ feature: 'x' }] }, { name: 'Own', dependencies: [{ feature: 'Own' }] }]) {
    expect((await refusalOf(featureFlag, 'x', spec))?.details).toEqual([
      { path: 'spec.dependencies', message: expect.stringContaining('cannot depend on itself') },
    ]);
  }
  expect(await refusalOf(featureFlag, 'x', { name: 'Own', dependencies: [{ feature: 'x' }] })).toBeUndefined();
});

test.each([null, undefined])('an ApiToken has to say what it is: spec %s is refused', async (spec) => {
  expect((await refusalOf(apiToken, 'x', spec))?.details).toContainEqual({
    path: 'spec',
    message: expect.stringContaining('say at least which type'),
  });
});

describe('a name that is built in', () => {
  const taken = [
    ...takenRoleNames.map((name) => [flagRole, name] as const),
    ...takenStrategyNames.map((name) => [strategyDefinition, name] as const),
  ];
  test.each(taken.map(([kind, name]) => [kind.kind, name, kind] as const))(
    'is refused for a %s: %s',
    async (_, name, kind) => {
      const asField = await refusalOf(kind, 'x', { name });
      expect(asField?.details).toEqual([{ path: 'spec.name', message: expect.stringContaining('built-in') }]);
    },
  );

  test.each([
    [flagRole, 'admin'],
    [strategyDefinition, 'default'],
  ] as const)('is refused also as the name of the object', async (kind, name) => {
    for (const spec of [{}, null, undefined]) {
      expect((await refusalOf(kind, name, spec))?.details).toMatchObject([{ path: 'spec.name' }]);
    }
    expect(await refusalOf(kind, name, { name: 'own' })).toBeUndefined();
  });
});
