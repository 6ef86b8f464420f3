/** Every kind in each version of the API: the same objects, the same rules, the same policies, the same owners. */
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect, type Transport } from '../../src/kube/api/transport.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { GROUP, VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { kindsByName } from '../../src/schema/kinds.ts';
import { aFlag, anEnvironment, type Manifest } from '../support/builders.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import { writersOn } from '../support/gitops/writers.ts';
import { inVersion, withoutVersion } from '../support/in-version.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { oddFlags } from '../support/odd-flags.ts';
import type { Stored } from '../support/stored.ts';
import { rowsByKind } from '../unit/schema/rule-rows.ts';

const versions = VERSIONS.map(({ name }) => name);
const [newer = '', older = ''] = versions;
let instance: Instance;
let transport: Transport;

beforeAll(async () => {
  instance = await startInstance('versions');
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
});
afterAll(async () => {
  transport?.close();
  await instance?.stop();
});

const request = (call: Call): Promise<Stored> => transport.request(call);
const collectionOf = (version: string, plural: string, namespace: string) =>
  `/apis/${GROUP}/${version}/namespaces/${namespace}/${plural}`;

const lengthOf = (spec: unknown) => `${JSON.stringify(spec)}`.length;

/** The longest specs of every kind among those that the API server takes, and flags with unusual values. */
const specs = [
  ...rowsByKind.flatMap(([name, { always, whenWritten }]) =>
    [...always, ...whenWritten]
      .filter(({ refused }) => !refused)
      .toSorted((one, other) => lengthOf(other.spec) - lengthOf(one.spec))
      .slice(0, 4)
      .map(({ spec }) => [kindsByName[name], spec] as const),
  ),
  ...[...oddFlags(15, 79).flags.values()].map((spec) => [featureFlag, spec] as const),
];

test(`${specs.length} objects differ in apiVersion only, and written back in the other version they stay`, async () => {
  const namespace = await instance.cluster.freshNamespace('versions-unwatched');
  for (const [index, [{ kind, plural }, spec]] of specs.entries()) {
    const [first = '', second = ''] = index % 2 === 0 ? [newer, older] : [older, newer];
    const body = { apiVersion: `${GROUP}/${first}`, kind, metadata: { name: `x-${index}`, namespace }, spec };
    const created = await request({ method: 'POST', path: collectionOf(first, plural, namespace), body });
    const path = `${collectionOf(second, plural, namespace)}/x-${index}`;
    const other = await request({ method: 'GET', path });
    expect(other.apiVersion).toBe(`${GROUP}/${second}`);
    expect(withoutVersion(other)).toEqual(withoutVersion(created));
    expect(await request({ method: 'PUT', path, body: other })).toEqual(other);
  }
});

describe('policies', () => {
  const FOLDER = new URL('../../config/admission/', import.meta.url).pathname;
  const policies = globSync('**/*.yaml', { cwd: FOLDER }).flatMap((file) =>
    parseAllDocuments(readFileSync(`${FOLDER}${file}`, 'utf8'))
      .map((document): Stored => document.toJS())
      .filter(({ kind, spec }) => kind.endsWith('Policy') && spec.matchConstraints)
      .map(({ metadata, spec }) => [metadata.name, spec.matchConstraints.resourceRules] as const),
  );

  test.each(policies)('%s has rules for all versions of the kinds of Vexil', (_name, rules) => {
    const ours = rules.filter(({ apiGroups }: Stored) => apiGroups.includes(GROUP) || apiGroups.includes('*'));
    expect(ours.map(({ apiVersions }: Stored) => apiVersions)).toEqual(ours.map(() => ['*']));
  });

  test.each(versions)('no way around them leads through %s', async (version) => {
    const { cluster, home } = instance;
    await installPolicyIn(cluster, 'statuses.yaml', [home]);
    await installPolicyIn(cluster, 'protected-environment.yaml', [home]);
    await cluster.apply([anEnvironment(`${home}/guarded`, { protected: true }), aFlag(`${home}/graded`)]);
    const query = { dryRun: 'All' };
    const pathOf = (rest: string) => `/apis/${GROUP}/${version}/namespaces/${home}/${rest}`;
    await untilRefused(cluster, { method: 'DELETE', path: pathOf('environments/guarded'), query });
    const grant = {
      ...{ request: 'r', uid: 'u', generation: 1, author: 'a', approvedBy: [], archived: false, variants: [] },
      ...{ expiresAt: '2030-01-01T00:00:00Z', dependencies: [], environments: {} },
    };
    await untilRefused(cluster, {
      method: 'PATCH',
      path: pathOf('featureflags/graded/status'),
      query,
      contentType: 'application/merge-patch+json',
      body: { status: { grants: [grant] } },
    });
  });
});

/** The owners of the spec as the operator reads them, without times. */
function ownersOf(flag: Stored): readonly string[] {
  return parseObject(featureFlag, flag).owners.map(({ operation, manager }) => `${operation} ${manager}`);
}

/** The real kubectl and Helm do this in moved-manifests.test.ts, the real Argo CD and Flux in test/soak. */
describe('a manifest that moves to the newer version', () => {
  const environments = (rollout: number) => ({
    development: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } },
  });
  const names = ['Flux', 'Argo CD', 'Argo CD, ServerSideApply'];

  test.each(names)('%s: keeps its fields, changes and removes them, and meets no other owner', async (name) => {
    const writer = writersOn(transport).find((one) => one.name === name);
    if (!writer) throw new Error(`there is no ${name}`);
    const place = `${instance.home}/moves-${name.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}`;
    const read = () => instance.flag(place);
    const manifest = (version: string, spec: object): Manifest => inVersion(version, aFlag(place, spec));
    const before = { description: 'from Git', stale: true, environments: environments(25) };

    expect(await writer.apply(manifest(older, before))).toBe('written');
    const first = await read();
    await writer.apply(manifest(newer, before));
    const moved = await read();
    expect([moved.spec, moved.metadata.generation]).toEqual([first.spec, first.metadata.generation]);
    expect(ownersOf(moved)).toEqual([writer.owner]);

    expect(await writer.apply(manifest(newer, { description: 'now', environments: environments(50) }))).toBe('written');
    expect((await read()).spec).toEqual({ project: 'shop', description: 'now', environments: environments(50) });
    expect(ownersOf(await read())).toEqual([writer.owner]);
    expect(await writer.apply(manifest(newer, { description: 'now', environments: environments(50) }))).toBe(
      'nothing to do',
    );
    // A repository that goes back to the older version changes nothing either.
    await writer.apply(manifest(older, { description: 'now', environments: environments(50) }));
    expect((await read()).spec).toEqual({ project: 'shop', description: 'now', environments: environments(50) });
    expect(ownersOf(await read())).toEqual([writer.owner]);
  });

  test('the answer to a change of its fields has one source with the whole manifest', async () => {
    const place = `${instance.home}/one-source`;
    const writer = writersOn(transport).find(({ name }) => name === 'Argo CD');
    await writer?.apply(inVersion(older, aFlag(place, { description: 'from Git' })));
    await writer?.apply(inVersion(newer, aFlag(place, { description: 'from Git', stale: true })));
    await instance.served('GET /projects/shop/features/one-source');
    const body = [
      { op: 'replace', path: '/description', value: 'x' },
      { op: 'replace', path: '/stale', value: false },
    ];
    const { status, body: answer } = await instance.call('PATCH /projects/shop/features/one-source', { body });
    expect(status).toBe(409);
    expect(answer.sources.map(({ manager, yaml }: Stored) => [manager, parse(yaml).spec])).toEqual([
      ['argocd-controller', { project: 'shop', description: 'x', stale: false }],
    ]);
  });
});
