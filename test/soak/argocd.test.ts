/**
 * The sync engine of Argo CD applies flags with client-side apply: across versions of the API, and where changes need
 * approval. Skipped unless VEXIL_ARGOCD_AGENT names its agent.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { VERSIONS } from '../../src/model/kind.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag, type Manifest } from '../support/builders.ts';
import { type ArgoCd, startArgoCd } from '../support/gitops/argocd.ts';
import { inVersion } from '../support/in-version.ts';
import type { Stored } from '../support/stored.ts';
import { untilAllowed } from '../support/until-allowed.ts';

const AGENT = process.env['VEXIL_ARGOCD_AGENT'];
const [newer = '', older = ''] = VERSIONS.map(({ name }) => name);

/** The agent watches every kind of the namespace. */
async function readEverything({ instance: { cluster, home }, usernameOf }: ApprovalsWorld, name: 'eve') {
  const metadata = { name: 'argocd-reader', namespace: home };
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: home }];
  await cluster.apply([
    Object.assign({ kind: 'Role', rules }, rbac),
    Object.assign({ kind: 'RoleBinding', roleRef, subjects }, rbac),
  ]);
  await untilAllowed(cluster, { user: usernameOf(name), verb: 'list', resource: 'featureflags', namespace: home });
}

describe.skipIf(AGENT === undefined)('Argo CD', () => {
  let world: ApprovalsWorld;
  let argocd: ArgoCd;
  let home: string;
  let round = 0;
  let name: string;

  beforeAll(async () => {
    world = await startApprovals('argocd');
    ({ home } = world.instance);
    await readEverything(world, 'eve');
    const kubeconfig = world.kubeconfigOf('eve');
    argocd = await startArgoCd({ program: AGENT ?? '', kubeconfig, namespace: home });
  });
  afterAll(async () => {
    await argocd?.stop();
    await world?.stop();
  });
  beforeEach(() => {
    round += 1;
    name = `flag-${round}`;
  });

  const files = new Map<string, Manifest>();
  const commit = (file: Manifest) => argocd.commit([...files.set(file.metadata.name, file).values()]);
  const manifest = (spec: object): Manifest => aFlag(`${home}/${name}`, spec);
  const stored = (): Promise<Stored> => world.instance.flag(`${home}/${name}`);
  const ownersOf = (flag: Stored) =>
    parseObject(featureFlag, flag).owners.map(({ operation, manager }) => `${operation} ${manager}`);
  const versionOf = ({ metadata }: Stored): string => metadata.resourceVersion;

  /** Checks that another sync writes nothing. */
  async function expectNoDrift(): Promise<void> {
    const before = await stored();
    await argocd.sync();
    expect(versionOf(await stored())).toBe(versionOf(before));
  }

  test('manifests that move to the newer version and back: no foreign owner, no difference', async () => {
    const environments = (rollout: number) => ({
      development: { strategies: { few: { name: 'flexibleRollout', parameters: { rollout } } } },
    });
    const commitIn = (version: string, spec: object) => commit(inVersion(version, manifest(spec)));
    const before = { description: 'from Git', stale: true, environments: environments(25) };
    await commitIn(older, before);
    const first = await stored();
    const owners = ownersOf(first);
    expect(owners).toHaveLength(1);
    for (const version of [newer, older, newer]) {
      await commitIn(version, before);
      const moved = await stored();
      expect([moved.metadata.uid, moved.metadata.generation]).toEqual([first.metadata.uid, first.metadata.generation]);
      expect(moved.spec).toEqual(first.spec);
      expect(ownersOf(moved)).toEqual(owners);
      await expectNoDrift();
    }
    await commitIn(newer, { description: 'now', environments: environments(50) });
    const changed = await stored();
    expect(changed.spec).toEqual({ project: 'shop', description: 'now', environments: environments(50) });
    expect(ownersOf(changed)).toEqual(owners);
  });

  test('a sync that needs approval is refused visibly, and succeeds after it', async () => {
    await commit(manifest({ environments: { production: { enabled: false } } }));
    const before = await stored();
    const switched = { enabled: true, strategies: { all: { name: 'default' } } };
    const refused = await commit(manifest({ environments: { production: switched } }));
    expect(refused).toContain('environment production needs the approval of another person: make a ChangeRequest');
    await argocd.sync();
    expect(versionOf(await stored())).toBe(versionOf(before));

    const request = await world.request('ada', name);
    await world.approve('bob', request);
    await world.untilGranted(name);
    await argocd.sync();
    expect((await stored()).spec.environments.production).toEqual(switched);
    await world.untilPhase(request, 'Applied');
    await expectNoDrift();
  });
});
