/** An upgrade: objects that were stored under the definitions of an earlier release are read, judged and kept. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aUser, type Manifest } from '../support/builders.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import { frozen, frozenPath, objectsOf } from '../support/releases/frozen.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';

const HOME = 'old-home';

/** Objects about which the present operator reports something else on purpose. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  // `*` now means every environment; in that release it meant none.
  'FlagRole/captain': [],
  // No client supports decimals.
  'FeatureFlag/everything': [
    'Warning spec.environments.production.strategies.8f9c2d1e-5b7a-4c3d-9e8f-1a2b3c4d5e6f.parameters.rollout ClientsDisagree',
  ],
};

const titleOf = ({ kind, metadata }: Manifest | Stored): string => `${kind}/${metadata.name}`;
const pathOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `/apis/${apiVersion}/namespaces/${HOME}/${kind.toLowerCase()}s/${metadata.name}`;

describe.each(frozen('schema-'))('from %s', (release) => {
  let plane: ControlPlane;
  let transport: Transport;
  let app: RunningApp;
  let call: Call;
  let manifests: readonly Manifest[];
  /** The statuses as the former operator wrote them, by title. */
  let statuses: Readonly<Record<string, Stored>>;
  let before: ReadonlyMap<string, Stored>;
  let betweenTheTwo: ReadonlyMap<string, Stored>;

  const everyObject = async (): Promise<ReadonlyMap<string, Stored>> => {
    const read = manifests.map((manifest) => transport.request({ method: 'GET', path: pathOf(manifest) }));
    return new Map((await Promise.all(read)).map((object: Stored) => [titleOf(object), object]));
  };

  beforeAll(async () => {
    plane = await startControlPlane();
    transport = connect(loadKubeConfig(plane.kubeconfig));
    await installDefinitions(plane, frozenPath(release));
    await plane.kubectlOrThrow(['create', 'namespace', HOME]);
    manifests = await objectsOf<Manifest>(frozenPath(release, 'objects.yaml'));
    await plane.kubectlOrThrow(['apply', '--validate=strict', '-f', frozenPath(release, 'objects.yaml')]);
    statuses = await statusesOf(release);
    for (const manifest of manifests) await writeStatus(transport, manifest, statuses[titleOf(manifest)]);
    await plane.kubectlOrThrow(['create', '-f', frozenPath(release, 'ids.yaml')]);
    before = await everyObject();

    await installDefinitions(plane);
    betweenTheTwo = await everyObject();
    app = await startApp({ KUBECONFIG: await grantOperatorRoles(plane, HOME, []), VEXIL_NAMESPACE: HOME });
    await app.ready();
    call = adminClient(app.url);
    for (const [kind, some] of Map.groupBy(manifests, (manifest) => manifest.kind)) {
      await waitUntil({ what: `each ${kind} is judged by the present operator` }, async () => {
        const series = `vexil_reconcile_duration_seconds_count{kind="${kind}",result="success"}`;
        return (await readMetric(app.opsUrl, series)) >= some.length;
      });
    }
    await waitUntil({ what: 'each status says who wrote the spec' }, async () => {
      const objects = [...(await everyObject()).values()].filter(({ spec }) => spec);
      return objects.every(({ status }) => status.changedBy !== undefined);
    });
  });

  afterAll(async () => {
    await app?.stop();
    transport?.close();
    await plane?.stop();
  });

  test('the new definitions change no byte of stored objects', () => {
    expect(betweenTheTwo).toEqual(before);
  });

  test('the operator reads every object: none is left out because of its content', async () => {
    const complaints = app.log.filter(({ level }) => level === 'warn' || level === 'error');
    expect(complaints).toEqual([]);
    const names = (await call('GET /search/features?limit=100')).body.features.map(({ name }: Stored) => name);
    const shown = manifests.filter(({ kind, spec }: Stored) => kind === 'FeatureFlag' && !spec?.archived);
    const inProjects = shown.filter(({ spec }: Stored) => spec?.project !== 'nowhere');
    expect(names.toSorted()).toEqual(
      inProjects.map(({ metadata, spec }: Stored) => spec?.name ?? metadata.name).sort(),
    );
  });

  test('it writes no spec, gives every object a healthy status, and has the verdicts of the earlier release', async () => {
    const after = await everyObject();
    for (const [title, { metadata, spec, status }] of after) {
      const former = before.get(title);
      expect([title, metadata.uid, metadata.generation]).toEqual([
        title,
        former.metadata.uid,
        former.metadata.generation,
      ]);
      expect(spec, title).toEqual(former.spec);
      expectHealthyStatus(after.get(title));
      const wanted = verdictOf(statuses[title]);
      expect([title, verdictOf(status)]).toEqual([title, { ...wanted, found: OTHERWISE[title] ?? wanted.found }]);
    }
  });

  test('the same YAML applied again changes nothing', async () => {
    const said = await plane.kubectlOrThrow(['apply', '-f', frozenPath(release, 'objects.yaml')]);
    expect(said.trim().split('\n')).toHaveLength(manifests.length);
    for (const line of said.trim().split('\n')) expect(line).toMatch(/ unchanged$/);
  });

  test('an assigned id is not assigned again', async () => {
    const manifest = aUser(`${HOME}/new`, { username: 'new@example.com' });
    await plane.kubectlOrThrow(['create', '-f', '-'], { input: JSON.stringify(manifest) });
    const given = await waitUntil({ what: 'it has an id' }, async () => {
      const user = (await transport.request({ method: 'GET', path: pathOf(manifest) })) as Stored;
      return user.status?.id as number | undefined;
    });
    expect(given).toBeGreaterThan(5000);
  });

  test('every object can be written, by kubectl and by the admin API', async () => {
    for (const manifest of manifests) {
      const field = manifest.kind === 'FlagUser' || manifest.kind === 'Environment' ? 'displayName' : 'description';
      const body = { spec: { [field]: 'written after the upgrade' } };
      const contentType = 'application/merge-patch+json';
      const answer = (await transport.request({
        method: 'PATCH',
        path: pathOf(manifest),
        body,
        contentType,
      })) as Stored;
      const { [field]: written, ...rest } = answer.spec;
      const { [field]: _, ...wanted } = before.get(titleOf(manifest)).spec ?? {};
      expect([titleOf(manifest), written, rest]).toEqual([titleOf(manifest), 'written after the upgrade', wanted]);
    }
    const switched = await call('POST /projects/Web-Shop/features/Every.Thing-7/environments/development/off');
    expect(switched.status, switched.text).toBe(200);
  });
});

/** The times are replaced by those of this test, because a condition must not be older than its object. */
async function statusesOf(release: string): Promise<Readonly<Record<string, Stored>>> {
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const text = await readFile(frozenPath(release, 'status.yaml'), 'utf8');
  return parse(text.replace(/(lastTransitionTime: ).*/g, `$1${now}`));
}

async function writeStatus(transport: Transport, manifest: Manifest, status: unknown): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  await transport.request({
    method: 'PATCH',
    path: `${pathOf(manifest)}/status`,
    query: { fieldManager: 'vexil', force: true },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name: metadata.name, namespace: HOME }, status },
  });
}

/** The statements of a status about the object, without fields that a newer operator may add. */
function verdictOf({ conditions, problems = [], enabledIn, id }: Stored) {
  const recorded = conditions.map(({ type, status, reason, lastTransitionTime }: Stored) => {
    return { type, status, reason, lastTransitionTime };
  });
  const found: readonly string[] = problems.map(
    ({ severity, path, reason }: Stored) => `${severity} ${path} ${reason}`,
  );
  return { recorded, found, enabledIn, id };
}
