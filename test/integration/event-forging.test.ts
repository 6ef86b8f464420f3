/** Only the operator may write Events that kubectl shows as Events of the operator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';

const NAME = 'vexil.dev/operator';
const OTHER = 'example.com/deployer';

const cluster = sharedCluster();
let home: string;
let admin: Transport;
let operator: Transport;

beforeAll(async () => {
  home = await cluster.freshNamespace('event-forging');
  await cluster.kubectlOrThrow(['create', 'serviceaccount', 'vexil', '-n', home]);
  const rules = ['--verb=*', '--resource=events.events.k8s.io,events'];
  await cluster.kubectlOrThrow(['create', 'role', 'events', ...rules, '-n', home]);
  const subject = `--serviceaccount=${home}:vexil`;
  await cluster.kubectlOrThrow(['create', 'rolebinding', 'events', '--role=events', subject, '-n', home]);
  admin = connect(loadKubeConfig(cluster.kubeconfig));
  operator = connect(loadKubeConfig(await cluster.kubeconfigFor({ namespace: home, name: 'vexil' })));
  await installPolicyIn(cluster, 'audit-events.yaml', [home]);
  const labelled = core('probe', {}, { 'vexil.dev/audit': '1' });
  const tried = { method: 'POST', path: collectionOf(labelled), query: { dryRun: 'All' }, body: labelled } as const;
  await waitUntil({ what: 'the policy is in effect' }, async () => (await refusalOf(admin.request(tried))) !== '');
});
afterAll(() => {
  admin.close();
  operator.close();
});

const regarding = () => ({ apiVersion: 'vexil.dev/v1beta1', kind: 'FeatureFlag', namespace: home, name: 'shown' });

/** An Event as kubectl and most controllers write it. */
function core(name: string, fields: object, labels = {}): Stored {
  const metadata = { name, namespace: home, labels };
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: regarding(),
    ...{ type: 'Normal', reason: 'FeatureEnvironmentDisabled', message: 'Flag shown was disabled' },
    ...fields,
  };
}

/** An Event as the operator writes it. */
function modern(name: string, fields: object): Stored {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: home },
    regarding: regarding(),
    ...{ type: 'Normal', reason: 'FeatureEnvironmentDisabled', note: 'Flag shown was disabled', action: 'Disable' },
    ...{ reportingController: OTHER, reportingInstance: 'one', eventTime: '2026-01-01T00:00:00.000000Z' },
    ...fields,
  };
}

const collectionOf = ({ apiVersion }: Stored) =>
  `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${home}/events`;
const create = (as: Transport, body: Stored) => as.request({ method: 'POST', path: collectionOf(body), body });
const patch = (as: Transport, event: Stored, body: object) =>
  as.request({
    method: 'PATCH',
    path: `${collectionOf(event)}/${event.metadata.name}`,
    contentType: 'application/merge-patch+json',
    body,
  });

/** The refusal of a call; empty if the call succeeds. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return '';
  } catch (error) {
    if (isClusterError(error, 'forbidden')) return error.message;
    throw error;
  }
}

const REFUSED = /only Vexil writes Events/;

const forgeries: readonly (readonly [string, (name: string) => Stored, object])[] = [
  ['source.component', (name) => core(name, {}), { source: { component: NAME } }],
  ['reportingComponent', (name) => core(name, {}), { reportingComponent: NAME, reportingInstance: 'one' }],
  ['reportingController', (name) => modern(name, {}), { reportingController: NAME }],
  // events.k8s.io refuses deprecatedSource in a new Event.
  ['a name that looks like it', (name) => core(name, {}), { source: { component: ` Vexil.dev/operator ` } }],
];

describe.each(forgeries)('%s', (what, plain, claim) => {
  const name = what.toLowerCase().replace(/[^a-z]+/g, '-');

  test('is refused in a new Event', async () => {
    expect(await refusalOf(create(admin, { ...plain(`${name}-new`), ...claim }))).toMatch(REFUSED);
  });

  test('is refused in a change of an Event of its own, which is otherwise accepted', async () => {
    const event = (await create(admin, plain(`${name}-later`))) as Stored;
    // Few fields of an Event of events.k8s.io may change. The test changes it through the older group, which shows the
    // same object.
    const shown = { ...event, apiVersion: 'v1' };
    const inOlder = { source: { component: NAME }, reportingComponent: OTHER, reportingInstance: 'one' };
    expect(await refusalOf(patch(admin, shown, inOlder))).toMatch(REFUSED);
    expect(await refusalOf(patch(admin, shown, { message: 'Flag shown was enabled' }))).toBe('');
  });

  test('is accepted from the operator', async () => {
    const event = { ...plain(`${name}-true`), ...claim };
    await create(operator, event);
    expect(await refusalOf(patch(admin, event, { metadata: { annotations: { note: 'forged' } } }))).toMatch(REFUSED);
  });
});

test('the operator continues a series of its own, and no other user can', async () => {
  const event = modern('series', { reportingController: NAME });
  await create(operator, event);
  const series = { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } };
  expect(await refusalOf(patch(admin, event, series))).toMatch(REFUSED);
  const continued = (await patch(operator, event, series)) as Stored;
  expect(continued['series'].count).toBe(2);
});
