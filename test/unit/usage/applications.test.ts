/** The data about applications that are kept between two flushes, within limits. */
import { expect, test } from 'vitest';
import { createApplications } from '../../../src/usage/applications.ts';

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const sdk = { environment: 'production', appName: 'shop', sdkVersion: 'unleash-client-node:6.12.1' };

test('the 2001st name of an application is `other`, until names were forgotten', () => {
  const applications = createApplications();
  for (const name of names(2_000, 'a')) expect(applications.nameFor(name)).toBe(name);
  expect([applications.nameFor('late'), applications.nameFor('a7')]).toEqual(['other', 'a7']);
  applications.setKnown(['a7']);
  expect(applications.nameFor('late')).toBe('late');
});

test('10,000 instances and 1,000 unknown names are remembered; those that report again are', () => {
  const applications = createApplications();
  for (const instanceId of names(10_001, 'i')) applications.addSdk({ ...sdk, instanceId, strategies: undefined }, 1);
  applications.addSdk({ ...sdk, instanceId: 'i0', strategies: ['default'] }, 2);
  applications.addSdk({ ...sdk, instanceId: 'i0', strategies: undefined }, 3);
  const name = { environment: 'production', appName: 'shop', archivedUid: '' };
  for (const one of names(1_001, 'n')) applications.addName({ ...name, name: one }, 1);
  applications.addName({ ...name, name: 'n0' }, 2);
  const { sdks, names: unknown } = applications.take();
  expect([sdks.length, unknown.length]).toEqual([10_000, 1_000]);
  expect([sdks[0]?.at, sdks[0]?.strategies, unknown[0]?.at]).toEqual([3, ['default'], 2]);
  expect(sdks.some(({ instanceId }) => instanceId === 'i10000')).toBe(false);
  expect(applications.take()).toEqual({ sdks: [], names: [] });
});

test('the edges of an instance are those of all its reports, ten at most, the last ones first', () => {
  const applications = createApplications();
  const via = (instanceId: string) => [{ appName: 'vexil-edge', instanceId }];
  const add = (some: ReturnType<typeof via> | undefined) =>
    applications.addSdk({ ...sdk, instanceId: 'i', strategies: undefined, via: some }, 1);
  for (const name of names(12, 'e')) add(via(name));
  add(via('e11'));
  add(undefined);
  const [found] = applications.take().sdks;
  expect(found?.via?.map(({ instanceId }) => instanceId)).toEqual(names(12, 'e').slice(2).reverse());
});
