/** The order of environments takes several writes: the outcome if some of them fail. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { refusal } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type BehindProxy, startBehindProxy } from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';

const cluster = sharedCluster();
let home: string;
let direct: FlagsDirectly;
let operator: BehindProxy;

const names = ['one', 'three', 'two'];

beforeAll(async () => {
  home = await cluster.freshNamespace('order');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  direct = flagsDirectly(cluster.kubeconfig, home);
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home });
  await operator.ready();
});
beforeEach(async () => {
  for (const [index, name] of names.entries()) await direct.apply('Environment', name, { sortOrder: index });
  await untilShown({ one: 0, three: 1, two: 2 });
  operator.proxy.forget();
});
afterEach(({ task }) => operator.endTest(task.name));
afterAll(async () => {
  await operator.stop('after the tests');
  direct.close();
});

const put = (body: object) => operator.call('PUT /environments/sort-order', { body });
const shown = async (): Promise<object> => {
  const { body } = await operator.call('GET /environments');
  return Object.fromEntries(
    body.environments.map(({ name, sortOrder }: { name: string; sortOrder: number }) => [name, sortOrder]),
  );
};
const untilShown = (order: object) =>
  waitUntil({ what: `${JSON.stringify(order)} is shown` }, async () => isDeepStrictEqual(await shown(), order));
const placesOf = async (): Promise<object> => {
  const { items } = await cluster.getObject('fenv', home);
  return Object.fromEntries(
    items.map(({ metadata, spec }: { metadata: { name: string }; spec: { sortOrder: number } }) => [
      metadata.name,
      spec.sortOrder,
    ]),
  );
};
const isWriteOf =
  (name: string) =>
  ({ resource, verb, query, ...request }: SeenRequest) =>
    resource === 'environments' && verb === 'patch' && request.name === name && !query.has('dryRun');
const isDryRun = ({ resource, verb, query }: SeenRequest) =>
  resource === 'environments' && verb === 'patch' && query.has('dryRun');

test('every write is tried before the first one is made; an environment with the right place is not written', async () => {
  expect((await put({ one: 5, two: 2, three: 4 })).status).toBe(200);
  const patches = operator.proxy.arrived.filter(
    ({ resource, verb }) => resource === 'environments' && verb === 'patch',
  );
  const steps = patches.map((request) => `${isDryRun(request) ? 'rehearse' : 'write'} ${request.name}`);
  // A status that is written meanwhile makes the operator repeat a step.
  const distinct = [...new Set(steps)];
  expect(distinct.slice(0, 2).toSorted()).toEqual(['rehearse one', 'rehearse three']);
  expect(distinct.slice(2)).toEqual(['write one', 'write three']);
  expect(steps.findLastIndex((step) => step.startsWith('rehearse'))).toBeLessThan(steps.indexOf('write one'));
  expect(await placesOf()).toEqual({ one: 5, three: 4, two: 2 });
});

test('the API server refuses one of the trials: none is written', async () => {
  const fault = refusal(403, { reason: 'Forbidden' });
  const match = (request: SeenRequest) => isDryRun(request) && request.name === 'two';
  operator.proxy.inject({ fault, match, times: 1 });
  const { status, body } = await put({ one: 7, two: 8, three: 9 });
  expect([status, body.name]).toEqual([403, 'PermissionError']);
  expect(await placesOf()).toEqual({ one: 0, three: 1, two: 2 });
  expectFired(operator.proxy, fault);
});

test('one of several writes fails: the answer names it, and the same request again writes the rest', async () => {
  const fault = refusal(500, { reason: 'InternalError' });
  operator.proxy.inject({ fault, match: isWriteOf('two'), times: 1 });
  const order = { one: 7, two: 8, three: 9 };
  expect((await put(order)).status).toBe(503);
  expect(await placesOf()).toEqual({ one: 7, three: 1, two: 2 });
  expect((await put(order)).status).toBe(200);
  expect(await placesOf()).toEqual(order);
  await untilShown(order);
  expectFired(operator.proxy, fault);
});
