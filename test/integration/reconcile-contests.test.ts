/** Names that two objects claim, and projects that are deleted and created again: the statuses of the objects. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, releasingName } from '../support/builders.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let home: string;
let away: string;

beforeAll(async () => {
  instance = await startInstance('contests');
  home = instance.home;
  away = instance.other;
});
afterAll(() => instance?.stop());

/** `place` is like `ff namespace/name`. */
async function object(place: string): Promise<Stored> {
  const [kind = '', where = ''] = place.split(' ');
  const [namespace = '', name = ''] = where.split('/');
  return instance.cluster.getObject(`${kind}/${name}`, namespace);
}

/** Resolves when Ready has this reason and the status is healthy. */
async function becomes(place: string, reason: string): Promise<Stored> {
  const found = await waitUntil({ what: `${place} becomes ${reason}` }, async () => {
    const one = await object(place);
    const ready = one.status?.conditions?.find(({ type }: Stored) => type === 'Ready');
    return one.status?.observedGeneration === one.metadata.generation && ready?.reason === reason && one;
  });
  expectHealthyStatus(found);
  return found.status;
}

async function remove(place: string): Promise<void> {
  const [kind = '', where = ''] = place.split(' ');
  const [namespace = '', name = ''] = where.split('/');
  await instance.cluster.deleteObject(`${kind}/${name}`, namespace);
}

/** Creation times have whole seconds. Objects that are created after this resolves are younger than the object. */
async function outlive(place: string): Promise<void> {
  const { metadata } = await object(place);
  await waitUntil({ what: 'a second has passed' }, async () => {
    const body = aProject(`${home}/clock`);
    const query = { dryRun: 'All' };
    const answer: Stored = await instance.cluster.request({
      method: 'POST',
      path: objectPath('fp', home),
      query,
      body,
    });
    return answer.metadata.creationTimestamp > metadata.creationTimestamp;
  });
}

const messages = (status: Stored) => status.problems?.map(({ message }: Stored) => message);

describe('a project', () => {
  test('that is deleted leaves its flags off, with the reason, until it returns', async () => {
    await instance.apply(
      aProject(`${home}/gone`),
      aFlag(`${home}/left`, { project: 'gone', environments: { production: on } }),
    );
    expect((await becomes(`ff ${home}/left`, 'Succeeded')).enabledIn).toBe('production');
    await remove(`fp ${home}/gone`);
    const status = await becomes(`ff ${home}/left`, 'ProjectNotFound');
    expect(status.enabledIn).toBeUndefined();
    expect(status.environments).toEqual({ production: { enabled: false, strategies: 1 } });
    expect(status.problems.map(({ path }: Stored) => path)).toEqual(['spec.project']);
    await instance.apply(aProject(`${home}/gone`));
    expect((await becomes(`ff ${home}/left`, 'Succeeded')).enabledIn).toBe('production');
  });

  test('that stops using an environment switches its flags off there, until it uses it again', async () => {
    await instance.apply(
      aProject(`${home}/narrow`, { environments: ['production'] }),
      aFlag(`${home}/narrowed`, { project: 'narrow', environments: { production: on } }),
    );
    await becomes(`ff ${home}/narrowed`, 'Succeeded');
    await instance.apply(aProject(`${home}/narrow`, { environments: ['development'] }));
    expect(messages(await becomes(`ff ${home}/narrowed`, 'EnvironmentNotInProject'))).toEqual([
      'project "narrow" does not use the environment "production": add it to spec.environments of the project or remove this entry',
    ]);
    await instance.apply(aProject(`${home}/narrow`));
    await becomes(`ff ${home}/narrowed`, 'Succeeded');
  });

  test('that lists an environment which does not exist waits for it', async () => {
    await instance.apply(aProject(`${home}/hopeful`, { environments: ['production', 'tomorrow'] }));
    const status = await becomes(`fp ${home}/hopeful`, 'EnvironmentNotFound');
    expect(status.conditions.map(({ type }: Stored) => type)).toEqual(['Ready', 'Reconciling']);
    await instance.apply(anEnvironment(`${home}/tomorrow`, { enabled: false }));
    await becomes(`fp ${home}/hopeful`, 'Succeeded');
  });
});

describe.each([
  ['one namespace', () => home],
  ['two namespaces', () => away],
] as const)('two projects of one id in %s', (title, namespaceOf) => {
  const id = title.replaceAll(' ', '-');

  test('the older one owns it; the younger one takes over when the older one is deleted', async () => {
    const [older, younger] = [`${home}/${id}-older`, `${namespaceOf()}/${id}-younger`];
    await instance.apply(releasingName(aProject(older, { name: id })), aFlag(`${home}/${id}-of`, { project: id }));
    await outlive(`fp ${older}`);
    await instance.apply(aProject(younger, { name: id, displayName: 'Heir' }));
    expect(messages(await becomes(`fp ${younger}`, 'NameConflict'))).toEqual([
      namespaceOf() === home
        ? `the project name "${id}" is owned by the older object ${older}: delete one of the two`
        : `the project name "${id}" is owned by ${older} and belongs to the namespace ${home}: choose another name`,
    ]);
    await becomes(`fp ${older}`, 'Succeeded');
    await becomes(`ff ${home}/${id}-of`, 'Succeeded');

    await remove(`fp ${older}`);
    expect((await becomes(`fp ${younger}`, 'Succeeded')).problems).toBeUndefined();
    await waitUntil({ what: 'it is served' }, async () => {
      const { body } = await instance.call('GET /projects');
      return body.projects.some(({ name }: Stored) => name === 'Heir');
    });
    await becomes(`ff ${home}/${id}-of`, namespaceOf() === home ? 'Succeeded' : 'ProjectNotFound');
  });
});

describe('two environments of one name', () => {
  beforeEach(() => instance.apply(anEnvironment(`${home}/older`, { name: 'Wanted', sortOrder: 7 })));

  test('the older one owns it; the younger one takes over when the older one is deleted', async () => {
    await instance.apply(aFlag(`${home}/wants`, { environments: { Wanted: on } }));
    await outlive(`fenv ${home}/older`);
    await instance.apply(anEnvironment(`${home}/younger`, { name: 'Wanted', sortOrder: 8 }));
    const status = await becomes(`fenv ${home}/younger`, 'NameConflict');
    expect([status.projectCount, status.enabledToggleCount]).toEqual([0, 0]);
    await becomes(`fenv ${home}/older`, 'Succeeded');
    expect((await becomes(`ff ${home}/wants`, 'Succeeded')).enabledIn).toBe('Wanted');

    await remove(`fenv ${home}/older`);
    await becomes(`fenv ${home}/younger`, 'Succeeded');
    await waitUntil({ what: 'the flag counts in the heir' }, async () => {
      return (await object(`fenv ${home}/younger`)).status.enabledToggleCount === 1;
    });
    await becomes(`ff ${home}/wants`, 'Succeeded');
  });
});

describe('two flags of one name', () => {
  test('in one namespace: the older one owns it, and the younger one counts nowhere', async () => {
    await instance.apply(
      aProject(`${home}/duel`),
      aFlag(`${home}/duel-older`, { project: 'duel', name: 'Duel', environments: { production: on } }),
    );
    await outlive(`ff ${home}/duel-older`);
    await instance.apply(
      aFlag(`${home}/duel-younger`, { project: 'duel', name: 'Duel', environments: { production: on } }),
    );
    await becomes(`ff ${home}/duel-younger`, 'NameConflict');
    await waitUntil({ what: 'the project counts one flag' }, async () => {
      return (await object(`fp ${home}/duel`)).status.flags === 1;
    });
    await remove(`ff ${home}/duel-older`);
    expect((await becomes(`ff ${home}/duel-younger`, 'Succeeded')).enabledIn).toBe('production');
  });
});
