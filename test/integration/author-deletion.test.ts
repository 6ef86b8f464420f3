/**
 * The user who deleted an object: a deletion through the API keeps the name of its caller; any other deletion has none.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { isClusterError } from '../../src/errors.ts';
import { installAuthorPolicy, stampOf } from '../support/author-policy.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { untilRefused } from '../support/control-plane/install-admission.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { hold } from '../support/fault-proxy/faults.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { on, timesFired } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';
import { watchFlags } from '../support/watch-flags.ts';

const cluster = sharedCluster();
let home: string;
let operator: BehindProxy;
let stopWatching: () => void;
let name: string;
let round = 0;

/**
 * Every version of every flag that a watch has received, in order. The last version of a deleted flag is the one of its
 * deletion.
 */
const seen: Stored[] = [];
const versions = () => seen.filter(({ metadata }) => metadata.name === name);

const stored = (): Promise<Stored> => cluster.getObject(`ff/${name}`, home);
const isGone = () =>
  stored().then(
    () => false,
    (error: unknown) => isClusterError(error, 'not-found'),
  );
const remove = (query = '') => operator.call(`DELETE /archive/${name}${query}`);
const patch = (change: object) => cluster.patchObject(`ff/${name}`, home, change);

beforeAll(async () => {
  home = await cluster.freshNamespace('deletion');
  await installAuthorPolicy(cluster, [home]);
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  await cluster.apply([aProject(`${home}/shop`)]);
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home });
  await operator.ready();
  stopWatching = await watchFlags({ kubeconfig: cluster.kubeconfig, namespace: home }, (flag) => seen.push(flag));
});
afterAll(async () => {
  stopWatching();
  await operator.stop('deletions');
});

beforeEach(async () => {
  round += 1;
  name = `flag-${round}`;
  const body = aFlag(`${home}/${name}`, { archived: true });
  await cluster.request({ method: 'POST', path: objectPath('ff', home), body });
  await waitUntil({ what: 'the flag is judged, and the operator knows it' }, async () => {
    const { body } = await operator.call('GET /archive/features');
    const isKnown = body.features.some((one: { name: string }) => one.name === name);
    return isKnown && (await stored()).status?.observedGeneration === 1;
  });
});

/** The version of the DELETED event. A watch reports in order, so the event has arrived when a later creation has. */
async function lastVersion(): Promise<Stored> {
  await waitUntil({ what: 'the flag is gone' }, isGone);
  const later = `later-${round}`;
  await cluster.request({ method: 'POST', path: objectPath('ff', home), body: aFlag(`${home}/${later}`) });
  return waitUntil({ what: 'the watch has reported the deletion' }, () => {
    return seen.some(({ metadata }) => metadata.name === later) && versions().at(-1);
  });
}

describe('through the API', () => {
  test('the DELETED event of the flag has the author, the time and the API of the deletion', async () => {
    const before = Date.now();
    expect((await remove()).status).toBe(200);
    const stamp = stampOf(await lastVersion());
    expect(stamp).toMatchObject({ 'deleted-by': 'unknown', 'deleted-via': 'anonymous', 'deleted-from': '127.0.0.1' });
    expect(Date.parse(stamp['deleted-at'] ?? '')).toBeGreaterThanOrEqual(before);
    expect(Date.parse(stamp['deleted-at'] ?? '')).toBeLessThanOrEqual(Date.now());
    expect(stamp).toMatchObject({ 'created-by': 'admin', 'changed-by': 'admin', 'changed-generation': '1' });
  });

  test('a dry run stamps nothing', async () => {
    const before = await stored();
    expect((await remove('?dryRun=true')).status).toBe(200);
    expect(await stored()).toEqual(before);
  });

  test('a refused deletion leaves no stamp, not even for a moment', async () => {
    await refuseDeletionsOf(name);
    const before = await stored();
    const { status, body } = await remove();
    expect([status, body.name]).toEqual([403, 'PermissionError']);
    expect(body.message).toContain('this flag is kept');
    expect(await stored()).toEqual(before);
    expect(versions().filter((one) => 'deleted-by' in stampOf(one))).toEqual([]);
  });

  test('a deletion that waits for a finalizer keeps its author to the end, whatever is changed meanwhile', async () => {
    await patch({ metadata: { finalizers: ['example.com/wait'] } });
    expect((await remove()).status).toBe(200);
    await patch({ metadata: { annotations: { 'vexil.dev/deleted-by': 'the-boss' } }, spec: { description: 'going' } });
    const going = await stored();
    expect(going.metadata.deletionTimestamp).toBeDefined();
    expect(stampOf(going)).toMatchObject({ 'changed-generation': '3', 'deleted-by': 'unknown' });
    await patch({ metadata: { finalizers: null } });
    expect(stampOf(await lastVersion())).toMatchObject({ 'deleted-by': 'unknown', 'deleted-via': 'anonymous' });
  });
});

describe('a change between the stamp and the deletion', () => {
  /** Delays the deletion that follows the stamp: those before it are dry runs. */
  async function holdDeletion(): Promise<() => void> {
    const [isDeletion, isStamp] = [on('featureflags', 'delete'), on('featureflags', 'patch')];
    const isAboutIt = (request: SeenRequest) => request.name === name;
    const match = (request: SeenRequest) => {
      if (!isDeletion(request) || !isAboutIt(request)) return false;
      return operator.proxy.reached.filter(isAboutIt).some(isStamp);
    };
    const before = timesFired(operator.proxy, hold);
    operator.proxy.inject({ fault: hold, match, times: 1 });
    const isDelayed = () => timesFired(operator.proxy, hold) > before;
    const delayedDeletion = waitUntil({ what: 'the deletion is held back' }, isDelayed);
    return () => delayedDeletion.then(() => operator.proxy.release());
  }

  test('that still allows the deletion: the flag is deleted, with a new stamp', async () => {
    const release = await holdDeletion();
    const answer = remove();
    await waitUntil({ what: 'it is stamped' }, async () => 'deleted-by' in stampOf(await stored()));
    await patch({ spec: { description: 'meanwhile' } });
    expect(stampOf(await stored())).not.toHaveProperty('deleted-by');
    release();
    expect((await answer).status).toBe(200);
    const last = await lastVersion();
    expect(last.spec.description).toBe('meanwhile');
    expect(stampOf(last)).toMatchObject({ 'changed-generation': '2', 'deleted-by': 'unknown' });
  });

  test('that revives the flag: it stays, without a stamp of a deletion', async () => {
    const release = await holdDeletion();
    const answer = remove();
    await waitUntil({ what: 'it is stamped' }, async () => 'deleted-by' in stampOf(await stored()));
    expect((await operator.call(`POST /archive/revive/${name}`)).status).toBe(200);
    release();
    expect((await answer).status).toBe(404);
    expect(Object.keys(stampOf(await stored())).filter((key) => key.startsWith('deleted-'))).toEqual([]);
    await cluster.deleteObject(`ff/${name}`, home);
    expect(stampOf(await lastVersion())).not.toHaveProperty('deleted-by');
  });
});

test('by kubectl has no name', async () => {
  await cluster.deleteObject(`ff/${name}`, home);
  expect(Object.keys(stampOf(await lastVersion())).toSorted()).toEqual([
    'changed-by',
    'changed-generation',
    'created-by',
  ]);
});

/** Resolves when a policy of another user is in effect. */
async function refuseDeletionsOf(kept: string): Promise<void> {
  const policy = `kept-${home}`;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = [
    { apiGroups: ['vexil.dev'], apiVersions: ['*'], operations: ['DELETE'], resources: ['featureflags'] },
  ];
  const validation = {
    expression: `oldObject.metadata.name != '${kept}' || oldObject.metadata.namespace != '${home}'`,
    message: 'this flag is kept',
    reason: 'Forbidden',
  };
  const objects = [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: policy },
      spec: { matchConstraints: { resourceRules }, validations: [validation] },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: policy },
      spec: { policyName: policy, validationActions: ['Deny'] },
    },
  ];
  await cluster.kubectlOrThrow(['create', '-f', '-'], { input: objects.map((one) => stringify(one)).join('---\n') });
  await untilRefused(cluster, { method: 'DELETE', path: objectPath(`ff/${kept}`, home), query: { dryRun: 'All' } });
}
