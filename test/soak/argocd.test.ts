/**
 * The real Argo CD applies flags as an account without approvals, with each kind of apply: across versions of the API,
 * where changes need approval, and where another writer changes what Git says.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type ArgoCd, startArgoCd } from '../support/gitops/argocd.ts';
import { inVersion } from '../support/in-version.ts';
import type { Stored } from '../support/stored.ts';

const [newer = '', older = ''] = VERSIONS.map(({ name }) => name);
const succeeded = { phase: 'Succeeded', status: 'Synced', health: 'Healthy' };

let world: ApprovalsWorld;
let argocd: ArgoCd;
let home: string;
let round = 0;
let name: string;

beforeAll(async () => {
  world = await startApprovals('argocd');
  ({ home } = world.instance);
  const place = await world.instance.cluster.freshNamespace('argocd-place');
  argocd = await startArgoCd(world.instance.cluster, { place, namespace: home, account: 'eve' });
}, 3_600_000);
afterAll(async () => {
  await argocd?.stop();
  await world?.stop();
});
beforeEach(() => {
  round += 1;
  name = `flag-${round}`;
});

const manifest = (spec: object): Manifest => aFlag(`${home}/${name}`, spec);

/** The repository: flags of earlier tests stay, because their deletion may need approval. */
const files = new Map<string, Manifest>();
const commit = (file: Manifest) => argocd.commit([...files.set(file.metadata.name, file).values()]);

const stored = (): Promise<Stored> => world.instance.flag(`${home}/${name}`);
const ownersOf = (flag: Stored) =>
  parseObject(featureFlag, flag).owners.map(({ operation, manager }) => `${operation} ${manager}`);
const versionOf = ({ metadata }: Stored): string => metadata.resourceVersion;
const development = (rollout: number) => ({
  development: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } },
});

/** Checks that another sync writes nothing. */
async function expectNoDrift(): Promise<void> {
  const before = await stored();
  expect(await argocd.sync()).toMatchObject(succeeded);
  expect(versionOf(await stored())).toBe(versionOf(before));
}

/** With server-side apply, Argo CD compares by a dry run, which the policy refuses, too. */
describe.each([
  ['client-side apply', [], 'OutOfSync'],
  ['server-side apply', ['ServerSideApply=true'], 'Unknown'],
])('with %s', (_, syncOptions, refusedStatus) => {
  beforeAll(() => argocd.setPolicy({ automated: null, syncOptions }));

  test('manifests that move to the newer version and back: no foreign owner, no difference', async () => {
    const commitIn = (version: string, spec: object) => commit(inVersion(version, manifest(spec)));
    const before = { description: 'from Git', stale: true, environments: development(25) };
    expect(await commitIn(older, before)).toMatchObject(succeeded);
    const first = await stored();
    const owners = ownersOf(first);
    expect(owners).toHaveLength(1);
    for (const version of [newer, older, newer]) {
      expect(await commitIn(version, before)).toMatchObject(succeeded);
      const moved = await stored();
      expect([moved.metadata.uid, moved.metadata.generation]).toEqual([first.metadata.uid, first.metadata.generation]);
      expect(moved.spec).toEqual(first.spec);
      expect(ownersOf(moved)).toEqual(owners);
      await expectNoDrift();
    }
    expect(await commitIn(newer, { description: 'now', environments: development(50) })).toMatchObject(succeeded);
    const changed = await stored();
    expect(changed.spec).toEqual({ project: 'shop', description: 'now', environments: development(50) });
    expect(ownersOf(changed)).toEqual(owners);
  });

  test('a sync that needs approval is refused visibly, and succeeds after it', async () => {
    await commit(manifest({ environments: { production: { enabled: false } } }));
    const before = await stored();
    const switched = { enabled: true, strategies: { all: { name: 'default' } } };
    expect(await commit(manifest({ environments: { production: switched } }))).toMatchObject({
      ...{ phase: 'Failed', status: refusedStatus },
      message: expect.stringContaining(
        'environment production needs the approval of another person: make a ChangeRequest',
      ),
    });
    expect(await argocd.sync()).toMatchObject({ phase: 'Failed' });
    expect(versionOf(await stored())).toBe(versionOf(before));

    const request = await world.request('ada', name);
    await world.approve('bob', request);
    await world.untilGranted(name);
    expect(await argocd.sync()).toMatchObject(succeeded);
    expect((await stored()).spec.environments.production).toEqual(switched);
    await world.untilPhase(request, 'Applied');
    await expectNoDrift();
  });

  test('selfHeal sets back what another person changes, once, and leaves the fields that Git does not have', async () => {
    await commit(manifest({ description: 'from Git', environments: development(25) }));
    await argocd.setPolicy({ automated: { selfHeal: true }, syncOptions });
    const change = (spec: object) => world.patch('admin', world.pathOf('featureflags', name), spec);
    await change({ stale: true });
    await change({ description: 'by hand' });
    await waitUntil({ what: 'Argo CD sets the description back', timeoutMs: 60_000 }, async () => {
      const { spec } = await stored();
      return spec.description === 'from Git';
    });
    const healed = await stored();
    expect(healed.spec).toEqual({
      project: 'shop',
      description: 'from Git',
      stale: true,
      environments: development(25),
    });
    for (const _round of [1, 2, 3]) {
      expect(await argocd.compare()).toMatchObject({ sync: { status: 'Synced' }, health: { status: 'Healthy' } });
    }
    const { metadata } = await stored();
    expect(metadata.generation).toBe(healed.metadata.generation);
  });
});
