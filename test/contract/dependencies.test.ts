/** The dependencies of a flag on others: written, refused, and what they do to the flag. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;
let round = 0;

beforeAll(async () => {
  instance = await startInstance('dependencies');
  await instance.apply(
    aFlag(`${instance.home}/parent`),
    aFlag(`${instance.home}/stowed`, { archived: true }),
    aFlag(`${instance.home}/grandchild`, { dependencies: [{ feature: 'parent' }] }),
    aFlag(`${instance.other}/far`, { project: 'pay' }),
  );
});
afterAll(() => instance.stop());

/** Creates a flag that only one test uses and that is on in production. */
async function flag(spec: FlagSpec = {}): Promise<string> {
  round += 1;
  const name = `flag-${round}`;
  const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
  await instance.apply(aFlag(`${instance.home}/${name}`, { environments, ...spec }));
  return name;
}
const path = (name: string) => `/projects/shop/features/${name}`;
const stored = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).spec.dependencies;
const isOn = async (name: string) =>
  (await instance.call(`GET ${path(name)}`)).body.environments.find(
    (one: { name: string }) => one.name === 'production',
  ).enabled;

describe('POST', () => {
  test('200 without a body; the flag shows the dependency, with its meaning', async () => {
    const name = await flag();
    const body = { feature: 'parent' };
    const answer = await instance.call(`POST ${path(name)}/dependencies`, { body });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await stored(name)).toEqual([{ feature: 'parent' }]);
    const shown = (await instance.call(`GET ${path(name)}`)).body.dependencies;
    expect(shown).toEqual([{ feature: 'parent', enabled: true }]);
    expect(await isOn(name)).toBe(true);
  });

  test('the same parent again changes the dependency at its place', async () => {
    const other = await flag();
    const name = await flag({ dependencies: [{ feature: 'parent' }, { feature: other }] });
    await instance.call(`POST ${path(name)}/dependencies`, { body: { feature: 'parent', variants: ['blue'] } });
    expect(await stored(name)).toEqual([{ feature: 'parent', variants: ['blue'] }, { feature: other }]);
    await instance.call(`POST ${path(name)}/dependencies`, {
      body: { feature: 'parent', enabled: false, variants: ['blue'] },
    });
    expect(await stored(name)).toEqual([{ feature: 'parent', enabled: false }, { feature: other }]);
  });

  test('an existing dependency writes nothing', async () => {
    const name = await flag({ dependencies: [{ feature: 'parent' }] });
    const body = { feature: 'parent', enabled: true, variants: [] };
    expect((await instance.untouched(`POST ${path(name)}/dependencies`, { body })).status).toBe(200);
  });

  test.each([
    ['itself', (name: string) => name, 'cannot depend on itself'],
    ['a flag that there is not', () => 'nobody', 'No active flag "nobody" exists'],
    ['an archived flag', () => 'stowed', 'No active flag "stowed" exists'],
    ['a flag of another project', () => 'far', 'No active flag "far" exists'],
    ['a flag with dependencies', () => 'grandchild', 'chains are not possible'],
  ])('403 InvalidOperationError for %s', async (_, parentOf, want) => {
    const name = await flag();
    const refused = { status: 403, name: 'InvalidOperationError', body: { feature: parentOf(name) } };
    expect(await instance.refuses(`POST ${path(name)}/dependencies`, refused)).toContain(want);
  });

  test('403 for a flag that others depend on, with their names', async () => {
    const refused = { status: 403, name: 'InvalidOperationError', body: { feature: await flag() } };
    expect(await instance.refuses(`POST ${path('parent')}/dependencies`, refused)).toMatch(
      /Other flags depend on "parent" \(.*grandchild/,
    );
  });
});

describe('DELETE', () => {
  test('deleting one: 200, and the others stay; deleting the last one leaves no list', async () => {
    const other = await flag();
    const name = await flag({ dependencies: [{ feature: 'parent' }, { feature: other }] });
    expect((await instance.call(`DELETE ${path(name)}/dependencies/parent`)).status).toBe(200);
    expect(await stored(name)).toEqual([{ feature: other }]);
    expect((await instance.call(`DELETE ${path(name)}/dependencies/${other}`)).status).toBe(200);
    expect(await stored(name)).toBeUndefined();
  });

  test('404 for a parent that the flag does not depend on', async () => {
    const name = await flag();
    const refused = { status: 404, name: 'NotFoundError' };
    expect(await instance.refuses(`DELETE ${path(name)}/dependencies/parent`, refused)).toContain('does not depend on');
  });

  test('deleting all: 200, also if there are none', async () => {
    const name = await flag({ dependencies: [{ feature: 'parent' }, { feature: 'gone' }] });
    expect((await instance.call(`DELETE ${path(name)}/dependencies`)).status).toBe(200);
    expect(await stored(name)).toBeUndefined();
    expect((await instance.untouched(`DELETE ${path(name)}/dependencies`)).status).toBe(200);
  });
});

test('GET of a flag names the flags that depend on it and are not archived, and follows them', async () => {
  const parent = await flag();
  const read = async () => (await instance.call(`GET ${path(parent)}`)).body;
  expect(await read()).toMatchObject({ dependencies: [], children: [] });
  const second = await flag({ dependencies: [{ feature: parent }] });
  const spec = { name: `A-${second}`, dependencies: [{ feature: parent }] };
  const first = await flag(spec);
  expect((await read()).children).toEqual([`A-${second}`, second]);
  await instance.apply(aFlag(`${instance.home}/${first}`, { ...spec, archived: true }));
  expect((await read()).children).toEqual([second]);
  expect((await instance.call(`GET ${path(parent)}?variantEnvironments=true`)).body.children).toEqual([second]);
});

test('GET …/parent-variants: the variants of the flag, of environments and strategies, each once', async () => {
  const name = await flag({
    variants: [{ name: 'blue' }],
    environments: {
      production: {
        strategies: { all: { name: 'default', variants: [{ name: 'green' }, { name: 'blue' }] } },
        variants: [{ name: 'amber' }],
      },
    },
  });
  expect((await instance.call(`GET ${path(name)}/parent-variants`)).body).toEqual(['amber', 'blue', 'green']);
});

test('GET /projects/:projectId/dependencies: whether a flag of the project that is not archived has one', async () => {
  const { other } = instance;
  const asked = async () => (await instance.call('GET /projects/pay/dependencies')).body;
  expect(await asked()).toBe(false);
  const spec = { project: 'pay', dependencies: [{ feature: 'far' }] };
  await instance.apply(aFlag(`${other}/near`, spec));
  expect(await asked()).toBe(true);
  await instance.apply(aFlag(`${other}/near`, { ...spec, archived: true }));
  expect(await asked()).toBe(false);
});

test('GET …/parents: flags of the project that are neither archived nor children, by name', async () => {
  const name = await flag();
  const { body } = await instance.call(`GET ${path(name)}/parents`);
  expect(body).toContain('parent');
  for (const no of [name, 'stowed', 'grandchild', 'far']) expect(body).not.toContain(no);
  expect(body).toEqual(body.toSorted());
});

describe('what is in effect', () => {
  const statusOf = async (name: string) => (await instance.flag(`${instance.home}/${name}`)).status;
  const judgedAs = (name: string, type: string, reason: string) =>
    waitUntil({ what: `${name} is ${type} because of ${reason}` }, async () => {
      const { conditions } = await statusOf(name);
      return conditions.some((one: { type: string; reason: string }) => one.type === type && one.reason === reason);
    });

  test('a child is off and waits while its parent is missing, and is on again with it', async () => {
    const name = await flag({ dependencies: [{ feature: 'late' }] });
    await judgedAs(name, 'Reconciling', 'ParentNotFound');
    expect([await isOn(name), (await statusOf(name)).enabledIn]).toEqual([false, undefined]);
    const refused = { status: 409, name: 'CannotEnableError' };
    const why = await instance.refuses(`POST ${path(name)}/environments/production/on`, refused);
    expect(why).toContain('there is no flag "late" in the project of this flag');

    await instance.apply(aFlag(`${instance.home}/late`));
    await judgedAs(name, 'Ready', 'Succeeded');
    expect([await isOn(name), (await statusOf(name)).enabledIn]).toEqual([true, 'production']);
  });

  test('lists follow the parent too', async () => {
    const enabledIn = async (name: string) => {
      const { features } = (await instance.call('GET /projects/shop/features')).body;
      const found = features.find((one: { name: string }) => one.name === name);
      return found.environments.filter((one: { enabled: boolean }) => one.enabled).length;
    };
    const parent = await flag();
    const name = await flag({ dependencies: [{ feature: parent }] });
    expect(await enabledIn(name)).toBe(1);
    await instance.apply(aFlag(`${instance.home}/${parent}`, { archived: true }));
    expect([await enabledIn(name), await isOn(name)]).toEqual([0, false]);
  });

  test('a chain and a cycle stall the flags that depend on a child', async () => {
    const chained = await flag({ dependencies: [{ feature: 'grandchild' }] });
    await judgedAs(chained, 'Stalled', 'DependencyChain');
    const [one, other] = [`flag-${round + 1}`, `flag-${round + 2}`];
    await flag({ dependencies: [{ feature: other }] });
    await flag({ dependencies: [{ feature: one }] });
    for (const name of [one, other]) {
      await judgedAs(name, 'Stalled', 'DependencyChain');
      expect(await isOn(name)).toBe(false);
    }
  });
});

describe('archiving a parent', () => {
  test('409 InUseError with the names of its children; together with them it is archived', async () => {
    const parent = await flag();
    const child = await flag({ dependencies: [{ feature: parent }] });
    const refused = { status: 409, name: 'InUseError' };
    expect(await instance.refuses(`DELETE ${path(parent)}`, refused)).toContain(child);
    const together = await instance.call('POST /projects/shop/archive', { body: { features: [parent, child] } });
    expect(together.status, together.text).toBe(202);
  });
});

test('an export contains dependencies, and an import restores them', async () => {
  const name = await flag({ dependencies: [{ feature: 'parent', enabled: false }] });
  const document = (await instance.call('GET /state/export')).body;
  const feature = document.features.find((one: { name: string }) => one.name === name);
  expect(feature.dependencies).toEqual([{ feature: 'parent', enabled: false }]);
  await instance.call(`DELETE ${path(name)}/dependencies`);
  const imported = await instance.call('POST /state/import?keep=false', { body: { version: 4, features: [feature] } });
  expect(imported.status, imported.text).toBe(202);
  expect(await stored(name)).toEqual([{ feature: 'parent', enabled: false }]);
});
