/**
 * Flags at the limits of what the API server accepts, together with an ordinary one: only the unusual ones are
 * degraded.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, aProject } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

/** JSON text, because a library that recurses cannot write values that are nested so deep. */
const nested = (levels: number, value: number) => `${'{"a":'.repeat(levels)}${value}${'}'.repeat(levels)}`;
const nestedLists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const tooDeep: Readonly<Record<string, string>> = {
  'deeper-than-recursion-reaches': nested(6_000, 1),
  'just-too-deep': nestedLists(60),
};
const fitting: Readonly<Record<string, string>> = {
  'long-key': JSON.stringify({ ['k'.repeat(300_000)]: many(500) }),
  'long-text': JSON.stringify('x'.repeat(900_000)),
  strange: String.raw`{"__proto__":{"x":1},"constructor":{"prototype":{}},"toString":{"valueOf":1},"":[],"n":[1e308,-0,9223372036854775808,5e-324],"\ud800":"\udc00\u0000\u2028 ada@example.com","wide":${JSON.stringify(many(2_000))},"deepest-that-fits":${nested(57, 1)}}`,
};
const odd = { ...tooDeep, ...fitting };

const strategies = { fine: { name: 'default' } };
const ZZ = 'ZZ';
const spec = {
  project: 'odd',
  environments: {
    development: { enabled: true, strategies: { ...strategies, odd: { name: 'default', parameters: { zz: ZZ } } } },
    production: { enabled: true, strategies },
  },
};
const withValue = (body: object, zz: string) => JSON.stringify(body).replace(JSON.stringify(ZZ), () => zz);

let instance: Instance;
const pathOf = () => `/apis/vexil.dev/v1beta1/namespaces/${instance.other}/featureflags`;
const create = (name: string, zz: string) => {
  const input = withValue(aFlag(`${instance.other}/${name}`, spec), zz);
  return instance.cluster.kubectlOrThrow(['create', '--raw', pathOf(), '-f', '-'], { input });
};
const changeSly = async (enabled: boolean, zz: string) => {
  const file = join(instance.cluster.directory, 'sly.json');
  const development = { enabled, strategies: { odd: { parameters: { zz: ZZ } } } };
  await writeFile(file, withValue({ spec: { environments: { development } } }, zz));
  const args = ['patch', 'ff', 'sly', '-n', instance.other, '--type', 'merge', '--patch-file', file];
  await instance.cluster.kubectlOrThrow(args);
  await rm(file);
};

/** Each poll reads megabytes. */
const EVERY_MS = 250;

/** The entries of the history about a flag, the oldest first. */
async function history(flag: string): Promise<readonly Stored[]> {
  const { status, body, text } = await instance.call(`GET /search/events?feature=IS:${flag}&limit=1000`);
  expect(status, text).toBe(200);
  return body.events.toReversed();
}
const untilRecorded = (flag: string, type: string, count = 1) =>
  waitUntil({ what: `${count} × ${type} of ${flag} in the history`, everyMs: EVERY_MS }, async () => {
    const found = (await history(flag)).filter((event) => event.type === type);
    return found.length >= count && found;
  });

async function untilPublished(note: string): Promise<void> {
  const path = `/apis/events.k8s.io/v1/namespaces/${instance.other}/events`;
  await waitUntil({ what: `an Event says: ${note}`, everyMs: EVERY_MS }, async () => {
    const { items } = (await instance.cluster.request({ method: 'GET', path })) as Stored;
    return items.some((event: Stored) => event.note.includes(note));
  });
}

beforeAll(async () => {
  instance = await startInstance('odd-values');
  const { cluster, home } = instance;
  await instance.apply(aFlag(`${home}/first`));
  await untilRecording(cluster, instance.call, { flag: '/projects/shop/features/first', namespace: home });
  await instance.apply(aProject(`${instance.other}/odd`));
  for (const [name, zz] of Object.entries(odd)) await create(name, zz);
  await create('healthy', '1');
});
afterAll(() => instance?.stop());

describe('a flag with values at the limits', () => {
  test.each(Object.keys(tooDeep))('that are %s is off there, reports it, and is on elsewhere', async (name) => {
    const { status } = await instance.flag(`${instance.other}/${name}`);
    const path = 'spec.environments.development.strategies.odd.parameters.zz';
    expect(status.problems).toMatchObject([{ severity: 'Error', reason: 'InvalidSpec', path }]);
    expect(status.problems[0].message).toContain('nested deeper than 64 levels');
    expect(status.enabledIn).toBe('production');
  });

  test.each(Object.keys(fitting))('that are %s is on', async (name) => {
    const { status } = await instance.flag(`${instance.other}/${name}`);
    expect([status.enabledIn, status.problems]).toEqual(['development,production', undefined]);
  });

  test.each(Object.keys(odd))('that are %s is in the history, as an Event, and in every read', async (name) => {
    await untilRecorded(name, 'feature-created');
    await untilPublished(`Flag ${name} was created`);
    const flag = `/projects/odd/features/${name}`;
    for (const rest of ['', '/environments/development/strategies', '/ownership']) {
      const { status, text } = await instance.call(`GET ${flag}${rest}`);
      expect(status, text.slice(0, 500)).toBe(200);
    }
  });

  test.each(Object.keys(odd))('that are %s can be cloned, switched off and archived', async (name) => {
    const flag = `/projects/odd/features/${name}`;
    const clone = await instance.call(`POST ${flag}/clone`, { body: { name: `${name}.copy` } });
    expect(clone.status, clone.text.slice(0, 500)).toBe(201);
    const place = 'spec.environments.development.strategies.odd.parameters.zz';
    expect(clone.headers.get('Warning')).toEqual(name in tooDeep ? expect.stringContaining(place) : null);
    const off = await instance.call(`POST ${flag}/environments/development/off`);
    expect(off.status, off.text).toBe(200);
    const { spec } = await instance.flag(`${instance.other}/${name}`);
    expect(spec.environments.development.enabled).toBe(false);
    expect(Object.keys(spec.environments.development.strategies)).toEqual(['fine', 'odd']);
    const on = await instance.call(`POST ${flag}/environments/development/on`);
    expect([on.status, on.text]).toEqual(
      name in tooDeep
        ? [409, expect.stringContaining(`${place}: the value is nested deeper than 64 levels`)]
        : [200, ''],
    );
    expect((await instance.call(`DELETE ${flag}?dryRun=true`)).status).toBe(202);
  });
});

describe('others', () => {
  test('are exported, in JSON and in YAML, with the left-out flags in a header', async () => {
    for (const format of ['json', 'yaml']) {
      const { status, text, headers } = await instance.call(`GET /state/export?format=${format}`);
      expect(status, text.slice(0, 500)).toBe(200);
      expect(text).toContain('healthy');
      expect(text).toContain('just-too-deep');
      expect(headers.get('Warning')).toContain('left out 2 parts that cannot be read: deeper-than-recursion-reaches');
    }
  });

  test('are cloned with their environment; status, Event and header name the flags that are not', async () => {
    const body = { name: 'copied', type: 'test', projects: ['odd'] };
    const { status, text, headers } = await instance.call('POST /environments/development/clone', { body });
    expect(status, text).toBe(200);
    expect(headers.get('Warning')).toContain('flag %22deeper-than-recursion-reaches%22');
    const args = ['get', 'fenv', 'copied', '-n', instance.home, '-o', 'jsonpath={.status.clone}'];
    const clone = JSON.parse(await instance.cluster.kubectlOrThrow(args));
    // Two copies of the long text are more than etcd stores, and there is a clone of that flag.
    expect(clone).toMatchObject({ phase: 'Done', message: expect.stringContaining('(and 3 more)') });
    expect(clone.flags - clone.copied).toBe(4);
    const { spec } = await instance.flag(`${instance.other}/healthy`);
    expect(spec.environments.copied.enabled).toBe(true);
    const unread = await instance.flag(`${instance.other}/just-too-deep`);
    expect(Object.keys(unread.spec.environments)).toEqual(['development', 'production']);
  });
});

test('a spec that would be too deep is refused by the admin API, with the name of the property', async () => {
  const parameters = JSON.parse(nested(60, 1));
  const request = 'POST /projects/odd/features/healthy/environments/production/strategies';
  const { status, body } = await instance.call(request, { body: { name: 'default', parameters } });
  expect([status, body.name]).toEqual([400, 'ValidationError']);
  expect(body.details[0]).toMatchObject({ path: '/body/parameters', message: expect.stringContaining('64 levels') });
});

test('a switch together with a value that is too deep is recorded, and so is a change below the limit', async () => {
  await create('sly', '1');
  await changeSly(false, nested(2_000, 1));
  await changeSly(false, nested(2_000, 2));
  await changeSly(true, 'null');
  await untilRecorded('sly', 'feature-environment-enabled', 3);
  const types = (await history('sly')).map(({ type }) => type).filter((type) => !type.endsWith('-add'));
  expect(types).toEqual([
    'feature-created',
    'feature-environment-enabled',
    'feature-environment-enabled',
    'feature-strategy-update',
    'feature-environment-disabled',
    'feature-strategy-update',
    'feature-strategy-update',
    'feature-environment-enabled',
  ]);
  await untilPublished('Flag sly was disabled for the development environment');
  await instance.call('POST /projects/odd/features/healthy/environments/production/off');
  await untilPublished('Flag healthy was disabled for the production environment');
});
