/** The real kustomize-controller of Flux applies flags: across versions of the API, and where changes need approval. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { saidByGit } from '../support/gitops/fields.ts';
import { type Flux, startFlux } from '../support/gitops/flux.ts';
import { writersOn } from '../support/gitops/writers.ts';
import { inVersion } from '../support/in-version.ts';
import type { Stored } from '../support/stored.ts';

const [newer = '', older = ''] = VERSIONS.map(({ name }) => name);

let world: ApprovalsWorld;
let flux: Flux;
let home: string;
let round = 0;
let name: string;

beforeAll(async () => {
  world = await startApprovals('flux');
  ({ home } = world.instance);
  flux = await startFlux(world.instance.cluster, { namespace: home, account: 'eve' });
}, 1_200_000);
afterAll(async () => {
  await flux?.stop();
  await world?.stop();
});
beforeEach(() => {
  round += 1;
  name = `flag-${round}`;
});

const manifest = (spec: object): Manifest => aFlag(`${home}/${name}`, spec);

/** The repository: flags of earlier tests stay, because their deletion may need approval. */
const files = new Map<string, Manifest>();
const commit = (file: Manifest) => flux.commit([...files.set(file.metadata.name, file).values()]);

const stored = (): Promise<Stored> => world.instance.flag(`${home}/${name}`);
const ownersOf = (flag: Stored) =>
  parseObject(featureFlag, flag).owners.map(({ operation, manager }) => `${operation} ${manager}`);
const versionOf = ({ metadata }: Stored): string => metadata.resourceVersion;
const applied = { isReady: true, message: expect.stringContaining('Applied revision') };

/** Checks that another attempt writes nothing. */
async function expectNoDrift(): Promise<void> {
  const before = await stored();
  expect(await flux.reconcile()).toMatchObject(applied);
  expect(versionOf(await stored())).toBe(versionOf(before));
}

test('the stand-in of the matrix leaves the same object behind', async () => {
  // Changes in production need approval.
  const spec = { ...saidByGit, environments: { development: saidByGit.environments.production } };
  const { stale: _, ...rest } = spec;
  const standIn = writersOn(world.admin).find((one) => one.name === 'Flux');
  if (!standIn) throw new Error('there is no Flux');
  const place = await world.instance.cluster.freshNamespace('flux-stand-in');
  const left = async (namespace: string): Promise<Stored> => {
    const path = `/apis/vexil.dev/${newer}/namespaces/${namespace}/featureflags/${name}`;
    const { metadata, spec } = (await world.admin.request({ method: 'GET', path })) as Stored;
    const { labels, generation, managedFields } = metadata;
    const managed = managedFields
      .filter(({ subresource }: Stored) => subresource === undefined)
      .map(({ time: __, ...entry }: Stored) => entry);
    return { labels: Object.keys(labels), generation, spec, managed };
  };
  for (const said of [spec, { ...rest, description: 'changed in Git', impressionData: true }]) {
    expect(await commit(manifest(said))).toMatchObject(applied);
    await standIn.apply(aFlag(`${place}/${name}`, said));
    expect(await left(home)).toEqual(await left(place));
  }
});

test('manifests that move to the newer version and back: no foreign owner, no difference, no new object', async () => {
  const environments = (rollout: number) => ({
    development: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } },
  });
  const commitIn = (version: string, spec: object) => commit(inVersion(version, manifest(spec)));
  const before = { description: 'from Git', stale: true, environments: environments(25) };
  expect(await commitIn(older, before)).toMatchObject(applied);
  const first = await stored();

  for (const version of [newer, older, newer]) {
    expect(await commitIn(version, before)).toMatchObject(applied);
    const moved = await stored();
    expect([moved.metadata.uid, moved.metadata.generation]).toEqual([first.metadata.uid, first.metadata.generation]);
    expect(moved.spec).toEqual(first.spec);
    expect(ownersOf(moved)).toEqual(['Apply kustomize-controller']);
    await expectNoDrift();
  }

  expect(await commitIn(newer, { description: 'now', environments: environments(50) })).toMatchObject(applied);
  const changed = await stored();
  expect(changed.spec).toEqual({ project: 'shop', description: 'now', environments: environments(50) });
  expect(ownersOf(changed)).toEqual(['Apply kustomize-controller']);
});

/** An approved change waits for its owner; without an owner, the operator makes it. */
const approved = [
  ['of a field that Flux owns', { enabled: false }, () => world.untilGranted(name)],
  ['of a field that nobody owns', {}, (request: Stored) => world.untilPhase(request, 'Applied')],
] as const;

test.each(approved)('a sync that needs approval %s is refused visibly, and succeeds after it', async (...row) => {
  const [, production, untilApproved] = row;
  expect(await commit(manifest({ environments: { production } }))).toMatchObject(applied);
  const before = await stored();

  const switched = { enabled: true, strategies: { all: { name: 'default' } } };
  const refused = await commit(manifest({ environments: { production: switched } }));
  expect(refused).toMatchObject({ isReady: false, reason: 'ReconciliationFailed' });
  expect(refused.message).toContain(
    'environment production needs the approval of another person: make a ChangeRequest',
  );
  // Flux tries again, says the same, and nothing has changed.
  expect(await flux.reconcile()).toEqual(refused);
  expect(versionOf(await stored())).toBe(versionOf(before));

  const request = await world.request('ada', name);
  await world.approve('bob', request);
  await untilApproved(request);
  expect(await flux.reconcile()).toMatchObject(applied);
  expect((await stored()).spec.environments.production).toEqual(switched);
  await world.untilPhase(request, 'Applied');
  await expectNoDrift();
});
