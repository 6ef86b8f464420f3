/**
 * GET …/features/:featureName/status, and the same in lists: the requested state, the state in effect, the reason, and
 * the owner of the switch.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const active = { all: { name: 'default' } };
const switched: FlagSpec = {
  environments: {
    development: { enabled: true, strategies: active },
    production: { enabled: true, strategies: { odd: { name: 'no-such-type' } } },
    'no-such-place': { enabled: true, strategies: active },
  },
};

let instance: Instance;
let writers: Writers;
let home: string;

beforeAll(async () => {
  instance = await startInstance('feature-status');
  home = instance.home;
  writers = writersOf(instance.cluster);
  const manifest: Manifest = aFlag(`${home}/held`, switched);
  await writers.apply(GIT, manifest);
  await instance.judged(manifest);
  await instance.apply(aFlag(`${home}/plain`, { project: 'shop' }));
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const path = '/projects/shop/features/held/status';
const inPlace = (body: Stored, name: string): Stored => body.environments.find((one: Stored) => one.name === name);

test('per environment, the requested state and the state in effect, with the problems of the object status', async () => {
  const { metadata, status } = await instance.flag(`${home}/held`);
  const { body } = await instance.served(`GET ${path}`);
  expect([body.generation, body.resourceVersion]).toEqual([metadata.generation, metadata.resourceVersion]);
  expect([body.changedBy, body.archived]).toEqual([status.changedBy, false]);
  const places = body.environments.map(({ name, asked, inEffect, strategies }: Stored) => [
    name,
    asked,
    inEffect,
    strategies,
  ]);
  expect(places).toEqual([
    ['development', true, true, 1],
    ['production', true, false, 1],
    ['no-such-place', true, false, 1],
  ]);
  expect(body.problems.map(({ environment: _, ...problem }: Stored) => problem)).toEqual(status.problems);
  expect(body.problems.map(({ environment, reason }: Stored) => [environment, reason])).toEqual([
    ['no-such-place', 'EnvironmentNotFound'],
    ['production', 'UnknownStrategy'],
  ]);
  expect(body.problems[1].message).toContain('there is no strategy type "no-such-type"');
});

test('the owner of the switch, and whether a write of it is refused', async () => {
  const { body } = await instance.served(`GET ${path}`);
  expect(inPlace(body, 'production')).toMatchObject({
    switchOwners: [{ manager: GIT, operation: 'Apply', protected: true }],
    switchProtected: true,
  });
  const plain = await instance.served('GET /projects/shop/features/plain/status');
  expect(inPlace(plain.body, 'production')).toMatchObject({ asked: false, switchOwners: [], switchProtected: false });
  await instance.apply(aProject(`${home}/open`, { managedFields: 'TakeOver' }));
  const taken: Manifest = aFlag(`${home}/open-flag`, { ...switched, project: 'open' });
  await writers.apply(GIT, taken);
  await instance.judged(taken);
  const open = await instance.served('GET /projects/open/features/open-flag/status');
  expect(inPlace(open.body, 'development')).toMatchObject({ switchOwners: [{ manager: GIT }], switchProtected: false });
});

test('a change of the switch, shown at once, and an archived flag', async () => {
  const plain = '/projects/shop/features/plain';
  await instance.call(`POST ${plain}/environments/development/strategies`, { body: { name: 'default' } });
  await instance.call(`POST ${plain}/environments/development/on`);
  const { body } = await instance.call(`GET ${plain}/status`);
  expect(inPlace(body, 'development')).toMatchObject({ asked: true, inEffect: true });
  await instance.call(`DELETE ${plain}`);
  const archived = await instance.call(`GET ${plain}/status`);
  expect([archived.body.archived, inPlace(archived.body, 'development').inEffect]).toEqual([true, false]);
  await instance.call('POST /archive/revive/plain');
});

describe('in lists, with include=status', () => {
  test.each(['/projects/shop/features?', '/search/features?project=IS:shop&'])('%s', async (list) => {
    const [one, some] = await Promise.all([
      instance.served(`GET ${path}`),
      instance.served(`GET ${list}include=status`),
    ]);
    const listed = some.body.features.find(({ name }: Stored) => name === 'held');
    expect(listed.status).toEqual(one.body);
    const without = await instance.served(`GET ${list}`);
    expect(without.body.features.map(({ status }: Stored) => status)).toEqual(
      without.body.features.map(() => undefined),
    );
    const { status: _, ...rest } = listed;
    expect(without.body.features).toContainEqual(rest);
  });
});

test('a missing flag', async () => {
  await instance.refuses('GET /projects/shop/features/no-such/status', { status: 404, name: 'NotFoundError' });
  await instance.refuses('GET /projects/pay/features/held/status', { status: 404, name: 'NotFoundError' });
});
