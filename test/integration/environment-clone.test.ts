/** An environment whose spec names another one to copy: with kubectl and Git only, without the admin API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copiedStrategyId } from '../../src/domain/flag/strategy-id.ts';
import { aFlag, anEnvironment, aProject, aRole } from '../support/builders.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const ID = '11111111-2222-4333-8444-555555555555';
const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let home: string;

beforeAll(async () => {
  instance = await startInstance('fenv-clone');
  home = instance.home;
});
afterAll(() => instance?.stop());

async function object(kind: string, place: string): Promise<Stored> {
  const [namespace = '', name = ''] = place.split('/');
  return instance.cluster.getObject(`${kind}/${name}`, namespace);
}

/** Resolves when the clone of the environment is in this phase and its status is healthy. */
async function reaches(name: string, phase: string): Promise<Stored> {
  const found = await waitUntil({ what: `${name} is ${phase}` }, async () => {
    const one = await object('fenv', `${home}/${name}`);
    return one.status?.clone?.phase === phase && one;
  });
  expectHealthyStatus(found);
  return found.status;
}

/** Returns the Events about an environment, without those of the history. */
async function eventsAbout(name: string): Promise<Stored[]> {
  const query = { labelSelector: '!vexil.dev/audit' };
  const { items }: Stored = await instance.cluster.request({ method: 'GET', path: objectPath('events', home), query });
  return items.filter(({ regarding }: Stored) => regarding.name === name);
}

const clone = (name: string, spec: { from?: string; projects?: string[]; permissions?: boolean }) =>
  anEnvironment(`${home}/${name}`, { type: 'test', clone: { from: 'production', ...spec } });

describe('carried out', () => {
  test('a role may do in the new environment what it may do in the source, unless permissions excludes it', async () => {
    const inSource = { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' } as const;
    const everywhere = { name: 'CREATE_FEATURE' } as const;
    await instance.apply(aRole(`${home}/releaser`, { permissions: [inSource, everywhere] }));
    await instance.apply(clone('permitted', {}), clone('not-permitted', { permissions: false }));
    await reaches('permitted', 'Done');
    await reaches('not-permitted', 'Done');
    const { spec } = await object('frole', `${home}/releaser`);
    expect(spec.permissions).toEqual([inSource, everywhere, { ...inSource, environment: 'permitted' }]);
  });

  test('every flag of the projects gets switch, strategies and variants of the source, in one write each', async () => {
    const { other } = instance;
    const staged = {
      enabled: true,
      strategies: {
        [ID]: {
          name: 'flexibleRollout',
          title: 'Staff first',
          disabled: true,
          sortOrder: 1,
          parameters: { rollout: 25, groupId: 'g', stickiness: 'default' },
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
          variants: [{ name: 'v' }],
        },
        chosen: { name: 'default' },
      },
      variants: [{ name: 'only' }],
    } as const;
    await instance.apply(
      aFlag(`${home}/whole`, { environments: { production: structuredClone(staged) as object, development: on } }),
      aFlag(`${home}/off`, { environments: { production: { ...on, enabled: false } } }),
      aFlag(`${home}/archived`, { archived: true, environments: { production: on } }),
      aFlag(`${home}/silent`, { environments: { development: on } }),
      aFlag(`${other}/elsewhere`, { project: 'pay', environments: { production: on } }),
      aProject(`${home}/bystander`),
      aFlag(`${home}/not-listed`, { project: 'bystander', environments: { production: on } }),
    );
    const places = ['whole', 'off', 'archived', 'silent', 'not-listed'].map((name) => `${home}/${name}`);
    const before = await Promise.all(places.map((place) => instance.flag(place)));
    await instance.apply(clone('staging', { projects: ['shop', 'pay'] }));

    const { clone: recorded, conditions, enabledToggleCount } = await reaches('staging', 'Done');
    expect(recorded).toMatchObject({ flags: 4, copied: 4 });
    expect(Date.parse(recorded.finishedAt)).toBeGreaterThanOrEqual(Date.parse(recorded.startedAt));
    expect(conditions.map(({ type, status }: Stored) => `${type}=${status}`)).toEqual(['Ready=True']);
    expect(enabledToggleCount).toBeLessThanOrEqual(2);

    const [whole, off, archived, silent, notListed] = await Promise.all(places.map((place) => instance.flag(place)));
    const { strategies, ...rest } = whole.spec.environments.staging;
    expect(rest).toEqual({ enabled: true, variants: [{ name: 'only' }] });
    expect(strategies[copiedStrategyId(ID, 'staging')]).toEqual(staged.strategies[ID]);
    const { body } = await instance.call('GET /projects/shop/features/whole');
    const [ofProduction, ofStaging] = ['production', 'staging'].map((wanted) =>
      body.environments.find(({ name }: Stored) => name === wanted),
    );
    const withoutId = ({ id: _, ...strategy }: Stored) => strategy;
    expect(ofStaging.strategies.map(withoutId)).toEqual(ofProduction.strategies.map(withoutId));
    expect(ofStaging.enabled).toBe(true);
    expect(off.spec.environments.staging.enabled).toBe(false);
    expect(archived.spec.environments.staging.enabled).toBe(true);
    expect((await instance.flag(`${other}/elsewhere`)).spec.environments.staging.enabled).toBe(true);
    for (const [index, flag] of [whole, off, archived].entries()) {
      expect(flag.metadata.generation).toBe(before[index].metadata.generation + 1);
      expect(flag.spec.environments.production).toEqual(before[index].spec.environments.production);
    }
    expect([silent, notListed]).toEqual([before[3], before[4]]);
  });

  test('is reported as one Event, and never done again', async () => {
    await instance.apply(
      aProject(`${home}/once`),
      aFlag(`${home}/once`, { project: 'once', environments: { production: on } }),
    );
    await instance.apply(clone('reported', { projects: ['once'] }));
    await reaches('reported', 'Done');
    const [event, ...others] = await eventsAbout('reported');
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'Normal',
      reason: 'EnvironmentCloned',
      note: expect.stringMatching(/^Cloned from "production": 1 flags in \d+ s$/),
      regarding: { kind: 'Environment', name: 'reported', namespace: home },
    });
    const taken = { spec: { environments: { reported: null } } };
    await instance.cluster.patchObject('ff/once', home, taken);
    await instance.apply(aFlag(`${home}/later`, { project: 'once', environments: { production: on } }));
    await instance.apply(
      anEnvironment(`${home}/reported`, { ...clone('reported', { projects: ['once'] }).spec, sortOrder: 9 }),
    );
    await reaches('reported', 'Done');
    expect((await instance.flag(`${home}/once`)).spec.environments).not.toHaveProperty('reported');
    expect((await instance.flag(`${home}/later`)).spec.environments).not.toHaveProperty('reported');
  });

  test('a project that lists its environments gets the new one before any flag configures it', async () => {
    await instance.apply(
      aProject(`${home}/lists`, { environments: ['production'] }),
      aFlag(`${home}/listed`, { project: 'lists', environments: { production: on } }),
      clone('gained', { projects: ['lists'] }),
    );
    await reaches('gained', 'Done');
    expect((await object('fp', `${home}/lists`)).spec.environments).toEqual(['production', 'gained']);
    const { status } = await waitUntil({ what: 'the flag is on in both' }, async () => {
      const flag = await instance.flag(`${home}/listed`);
      return flag.status.enabledIn === 'production,gained' && flag;
    });
    expect(status.problems).toBeUndefined();
    const project = await object('fp', `${home}/lists`);
    const flag = await object('ff', `${home}/listed`);
    const specWrite = ({ metadata }: Stored) =>
      metadata.managedFields.find(({ manager }: Stored) => manager === 'vexil-api');
    expect(specWrite(project).time <= specWrite(flag).time).toBe(true);
  });

  test('an existing configuration of the new environment is unchanged', async () => {
    const mine = { enabled: false, strategies: { mine: { name: 'default' } } };
    await instance.apply(
      aProject(`${home}/minded`),
      aFlag(`${home}/minded`, { project: 'minded', environments: { production: on, respectful: mine } }),
    );
    const { metadata } = await instance.flag(`${home}/minded`);
    await instance.apply(clone('respectful', { projects: ['minded'] }));
    expect((await reaches('respectful', 'Done')).clone).toMatchObject({ flags: 1, copied: 1 });
    const after = await instance.flag(`${home}/minded`);
    expect([after.spec.environments.respectful, after.metadata.generation]).toEqual([mine, metadata.generation]);
  });

  test('without projects there is nothing to copy', async () => {
    await instance.apply(clone('bare', {}));
    expect((await reaches('bare', 'Done')).clone).toMatchObject({ flags: 0, copied: 0 });
  });
});

describe('waiting', () => {
  test('for a source and projects that come later, in any order', async () => {
    await instance.apply(clone('early', { from: 'tomorrow', projects: ['unborn'] }));
    const status = await reaches('early', 'Waiting');
    expect(status.conditions.map(({ type }: Stored) => type)).toEqual(['Ready', 'Reconciling']);
    expect(status.problems.map(({ reason, path }: Stored) => `${reason} ${path}`)).toEqual([
      'EnvironmentNotFound spec.clone.from',
      'ProjectNotFound spec.clone.projects',
    ]);
    await instance.apply(
      aFlag(`${home}/unborn`, { project: 'unborn', environments: { tomorrow: on } }),
      aProject(`${home}/unborn`),
    );
    await instance.apply(anEnvironment(`${home}/tomorrow`));
    await reaches('early', 'Done');
    expect((await instance.flag(`${home}/unborn`)).spec.environments.early.enabled).toBe(true);
    expect(await eventsAbout('early')).toHaveLength(1);
  });

  test('for a source that is itself being cloned', async () => {
    await instance.apply(
      aProject(`${home}/chain`),
      aFlag(`${home}/chain`, { project: 'chain', environments: { first: on } }),
      clone('second', { from: 'first', projects: ['chain'] }),
    );
    await reaches('second', 'Waiting');
    await instance.apply(clone('third', { from: 'second', projects: ['chain'] }));
    expect((await reaches('third', 'Waiting')).problems[0].reason).toBe('CloneSourceNotReady');
    await instance.apply(anEnvironment(`${home}/first`));
    await reaches('third', 'Done');
    const { environments } = (await instance.flag(`${home}/chain`)).spec;
    expect(Object.keys(environments)).toEqual(['first', 'second', 'third']);
  });
});

describe('refused', () => {
  test('when one flag cannot have the copy: nothing is written, and the status names the flag', async () => {
    const full = Object.fromEntries(Array.from({ length: 29 }, (_, index) => [`e${index}`, { enabled: false }]));
    await instance.apply(
      aProject(`${home}/crowded`, { environments: ['production'] }),
      aFlag(`${home}/fits`, { project: 'crowded', environments: { production: on } }),
      aFlag(`${home}/full`, { project: 'crowded', environments: { ...full, production: on } }),
    );
    const versions = async () =>
      Promise.all(
        [
          ['ff', 'fits'],
          ['ff', 'full'],
          ['fp', 'crowded'],
        ].map(async ([kind = '', name]) => (await object(kind, `${home}/${name}`)).metadata.generation),
      );
    const before = await versions();
    await instance.apply(clone('too-many', { projects: ['crowded'] }));
    const status = await reaches('too-many', 'Failed');
    expect(status.conditions.map(({ type }: Stored) => type)).toEqual(['Ready', 'Stalled']);
    expect(status.problems).toHaveLength(1);
    expect(status.problems[0]).toMatchObject({ reason: 'CloneFailed', path: 'spec.clone' });
    expect(status.clone.message).toMatch(/^flag "full": .*30/);
    expect(await versions()).toEqual(before);
    const [event] = await eventsAbout('too-many');
    expect(event).toMatchObject({ type: 'Warning', reason: 'CloneFailed' });
    expect(event.note).toContain('flag "full"');
  });
});

test('an environment that is deleted while it waits leaves nothing behind, and can be created again', async () => {
  await instance.apply(clone('again', { from: 'never' }));
  await reaches('again', 'Waiting');
  await instance.cluster.deleteObject('fenv/again', home);
  await instance.apply(clone('again', {}));
  await reaches('again', 'Done');
});
