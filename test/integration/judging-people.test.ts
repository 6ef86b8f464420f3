/** The statuses of users, roles and strategy types, and of the flags and projects that name them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aRole, aStrategyType, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { QUICK_COUNTS } from '../support/timings.ts';

let instance: Instance;
let home: string;

beforeAll(async () => {
  instance = await startInstance('people', { settings: QUICK_COUNTS });
  home = instance.home;
});

afterAll(() => instance?.stop());

async function object(what: string): Promise<Stored> {
  return instance.cluster.getObject(what, home);
}
const recorded = ({ status }: Stored): string[] =>
  (status?.problems ?? []).map(({ severity, reason, path }: Stored) => `${severity} ${reason} ${path}`);

/** Waits until the status has exactly these problems for the present spec, in their order, and is healthy. */
async function untilRecorded(what: string, want: readonly string[]): Promise<Stored> {
  const found = await waitUntil({ what: `${what} has ${want.join(', ') || 'no problems'}` }, async () => {
    const one = await object(what);
    const isJudged = one.status?.observedGeneration === one.metadata.generation;
    return isJudged && JSON.stringify(recorded(one)) === JSON.stringify(want) && one;
  });
  expectHealthyStatus(found);
  return found;
}

const readiness = ({ status }: Stored) => status.conditions.map((one: Stored) => `${one.type} ${one.status}`);

describe('a flag with a strategy type of its own', () => {
  const uses = (parameters: Record<string, unknown>) => ({
    enabled: true,
    strategies: { s: { name: 'inCountries', parameters } },
  });
  const unknown = ['Error UnknownStrategy spec.environments.production.strategies.s.name'];

  test('is off without the definition, on with it, has a warning for missing parameters, and is off again when it is deleted', async () => {
    await instance.apply(aFlag(`${home}/custom`, { environments: { production: uses({ countries: 'SE' }) } }));
    expect(readiness(await untilRecorded('ff/custom', unknown))).toEqual(['Ready False', 'Reconciling True']);

    const countries = { name: 'countries', type: 'list', required: true } as const;
    const definition = aStrategyType(`${home}/in-countries`, { name: 'inCountries', parameters: [countries] });
    await instance.apply(definition);
    const on = await untilRecorded('ff/custom', []);
    expect(on.status.enabledIn).toBe('production');
    await waitUntil({ what: 'production counts it' }, async () => {
      return (await object('fenv/production')).status.enabledToggleCount === 1;
    });

    await instance.apply(aFlag(`${home}/custom`, { environments: { production: uses({ countries: '' }) } }));
    const warned = await untilRecorded('ff/custom', [
      'Warning MissingParameter spec.environments.production.strategies.s.parameters',
    ]);
    expect([readiness(warned), warned.status.enabledIn]).toEqual([['Ready True'], 'production']);
    expect(warned.status.problems[0].message).toContain('requires countries');

    await instance.apply(aStrategyType(`${home}/in-countries`, { name: 'inCountries', parameters: [] }));
    await untilRecorded('ff/custom', []);

    await instance.cluster.deleteObject('fstrat/in-countries', home);
    expect((await untilRecorded('ff/custom', unknown)).status.enabledIn).toBeUndefined();
    await waitUntil({ what: 'production does not count it any more' }, async () => {
      return (await object('fenv/production')).status.enabledToggleCount === 0;
    });

    await instance.apply(definition);
    await untilRecorded('ff/custom', ['Warning MissingParameter spec.environments.production.strategies.s.parameters']);
  });

  test('can be created through the API when the type is defined, and not before', async () => {
    const path = '/projects/shop/features/by-api/environments/production/strategies';
    await instance.call('POST /projects/shop/features', { body: { name: 'by-api' } });
    const message = await instance.refuses(`POST ${path}`, {
      body: { name: 'byWeekday' },
      status: 400,
      name: 'ValidationError',
    });
    expect(message).toContain('byWeekday');
    await instance.apply(aStrategyType(`${home}/by-weekday`, { name: 'byWeekday' }));
    expect((await instance.call(`POST ${path}`, { body: { name: 'byWeekday' } })).status).toBe(200);
  });
});

describe('the members of a project', () => {
  const members = { ada: 'owner', lin: 'captain' };

  test('cause a warning while they or their roles do not exist, and do not count', async () => {
    await instance.apply(aProject(`${home}/team`, { members }));
    const none = await untilRecorded('fp/team', [
      'Warning NoOwner spec.members',
      'Warning UserNotFound spec.members.ada',
      'Warning RoleNotFound spec.members.lin',
      'Warning UserNotFound spec.members.lin',
    ]);
    expect([readiness(none), none.status.members]).toEqual([['Ready True'], 0]);

    await instance.apply(aUser(`${home}/ada`), aUser(`${home}/lin`));
    expect((await untilRecorded('fp/team', ['Warning RoleNotFound spec.members.lin'])).status.members).toBe(1);
    await instance.apply(aRole(`${home}/captain`, { type: 'root' }));
    await untilRecorded('fp/team', ['Warning RoleNotFound spec.members.lin']);
    await instance.apply(aRole(`${home}/captain`, { type: 'project' }));
    expect((await untilRecorded('fp/team', [])).status.members).toBe(2);
    expect((await instance.call('GET /projects/team')).body.members).toBe(2);

    await instance.cluster.deleteObject('fuser/ada', home);
    const left = await untilRecorded('fp/team', [
      'Warning NoOwner spec.members',
      'Warning UserNotFound spec.members.ada',
    ]);
    expect(left.status.members).toBe(1);
    expect((await instance.call('GET /projects/team')).body.members).toBe(1);
  });

  test('are found by username, not by the name of the object', async () => {
    await instance.apply(
      aUser(`${home}/eva`, { username: 'eva@example.com' }),
      aProject(`${home}/named`, { members: { 'eva@example.com': 'owner', eva: 'member' } }),
    );
    const { status } = await untilRecorded('fp/named', ['Warning UserNotFound spec.members.eva']);
    expect(status.members).toBe(1);
  });
});

describe('a user', () => {
  test('waits for a root role, and is a Viewer meanwhile', async () => {
    await instance.apply(aUser(`${home}/auditing`, { rootRole: 'auditor' }));
    const waiting = await untilRecorded('fuser/auditing', ['Error RoleNotFound spec.rootRole']);
    expect(readiness(waiting)).toEqual(['Ready False', 'Reconciling True']);
    await instance.apply(aRole(`${home}/auditor`, { type: 'root' }));
    await untilRecorded('fuser/auditing', []);
    await instance.cluster.deleteObject('frole/auditor', home);
    await untilRecorded('fuser/auditing', ['Error RoleNotFound spec.rootRole']);
  });

  test('cannot have an identity that an older one has, in any form', async () => {
    const [namespace, name] = ['ci', 'bot'];
    await instance.apply(aUser(`${home}/s-first`, { subjects: [{ kind: 'ServiceAccount', namespace, name }] }));
    await instance.apply(
      aUser(`${home}/s-second`, { subjects: [{ kind: 'User', name: 'system:serviceaccount:ci:bot' }] }),
    );
    const second = await untilRecorded('fuser/s-second', ['Error SubjectConflict spec.subjects']);
    expect(readiness(second)).toEqual(['Ready False', 'Stalled True']);
    await untilRecorded('fuser/s-first', []);
    await instance.cluster.deleteObject('fuser/s-first', home);
    await untilRecorded('fuser/s-second', []);
  });

  test('gets a warning for an address that an older one has, without the address', async () => {
    await instance.apply(aUser(`${home}/e-first`, { email: 'Shared@Example.com' }));
    await instance.apply(aUser(`${home}/e-second`, { email: 'shared@example.com' }));
    const second = await untilRecorded('fuser/e-second', ['Warning EmailShared spec.email']);
    expect(JSON.stringify(second.status).toLowerCase()).not.toContain('shared@');
    await untilRecorded('fuser/e-first', []);
    expect(JSON.stringify(instance.log).toLowerCase()).not.toContain('shared@');
    await instance.apply(aUser(`${home}/e-first`, { email: 'other@example.com' }));
    await untilRecorded('fuser/e-second', []);
  });

  test('with valid references is ready, and is not written again', async () => {
    await instance.apply(aUser(`${home}/quiet`, { rootRole: 'Admin', email: 'quiet@example.com' }));
    const { metadata, status } = await untilRecorded('fuser/quiet', []);
    expect(status.id).toBeGreaterThan(0);
    await instance.apply(aUser(`${home}/neighbour`, { rootRole: 'Admin' }));
    await untilRecorded('fuser/neighbour', []);
    expect((await object('fuser/quiet')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});

describe('a role', () => {
  test('gets a warning for an environment that does not exist, until it is created', async () => {
    const permissions = [{ name: 'UPDATE_FEATURE' }, { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'moon' }];
    await instance.apply(aRole(`${home}/astronaut`, { permissions }));
    const warned = await untilRecorded('frole/astronaut', [
      'Warning EnvironmentNotFound spec.permissions.1.environment',
    ]);
    expect([readiness(warned), warned.status.id]).toEqual([['Ready True'], expect.any(Number)]);
    await instance.apply(anEnvironment(`${home}/moon`));
    await untilRecorded('frole/astronaut', []);
  });

  test('and a strategy type whose names older ones own are not served, until the older ones are deleted', async () => {
    await instance.apply(
      aRole(`${home}/n-first`, { name: 'Named' }),
      aStrategyType(`${home}/n-first`, { name: 'Named' }),
    );
    await instance.apply(
      aRole(`${home}/n-second`, { name: 'Named' }),
      aStrategyType(`${home}/n-second`, { name: 'Named' }),
    );
    for (const kind of ['frole', 'fstrat']) {
      expect(readiness(await untilRecorded(`${kind}/n-second`, ['Error NameConflict spec.name']))).toEqual([
        'Ready False',
        'Stalled True',
      ]);
      await instance.cluster.deleteObject(`${kind}/n-first`, home);
      await untilRecorded(`${kind}/n-second`, []);
    }
  });
});
