/**
 * An export, an import of it with drop, and another export: they are equal except for creation times; in the same
 * instance and in an empty one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { aFlag } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { applyRichWorld } from '../support/state-world.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('round-trip');
  await applyRichWorld(instance);
});
afterAll(() => instance.stop());

const EXPORT = 'GET /state/export';
const exported = async (query = ''): Promise<Stored> => (await instance.call(`${EXPORT}${query}`)).body;
const yaml = (text: string) => ({ body: text, headers: { 'content-type': 'application/yaml' } });

describe('in the same instance', () => {
  test('an export imported again writes nothing, with keep, without it, and with drop except for archived flags', async () => {
    const body = await exported();
    for (const query of ['', '?keep=false']) {
      const answer = await instance.untouched(`POST /state/import${query}`, { body });
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
        202,
        'Accepted',
        'text/plain; charset=utf-8',
      ]);
    }
    const plan = await instance.untouched('POST /state/import?drop=true&dryRun=true', { body });
    expect(plan.body).toMatchObject({
      created: { environments: [], projects: [], strategies: [], features: [] },
      changed: { strategies: [], features: [] },
      deleted: { environments: [], projects: [], strategies: [], features: ['put-away'] },
      conflicts: [],
      warnings: [],
    });
  });

  test('YAML has the content of JSON, byte for byte each time', async () => {
    const [json, first, second] = [
      await exported(),
      await instance.call(`${EXPORT}?format=yaml`),
      await instance.call(`${EXPORT}?format=yaml`),
    ];
    expect(first.text).toBe(second.text);
    expect(parse(first.text)).toEqual(json);
    expect(parse(first.text, { version: '1.1' })).toEqual(json);
    const answer = await instance.untouched('POST /state/import?keep=false', yaml(first.text));
    expect(answer.status).toBe(202);
  });

  test('with drop: the export afterwards is the same, and only the archived flag is gone', async () => {
    const before = await exported();
    const versions = await instance.everything();
    const gone = await instance.flagNamed('put-away');
    expect((await instance.call('POST /state/import?drop=true', { body: before })).status).toBe(202);
    expect(await exported()).toEqual(before);
    const after = await instance.everything();
    expect(after).toEqual(new Map([...versions].filter(([uid]) => uid !== gone.metadata.uid)));
  });

  test('empty texts stay as they are', async () => {
    const { call, home } = instance;
    const variants = [{ name: 'a', stickiness: '', payload: { type: 'string' as const, value: '' } }];
    const strategies = {
      one: {
        name: 'flexibleRollout',
        title: '',
        parameters: { rollout: 10, groupId: '', stickiness: '', more: '' },
        constraints: [{ contextName: 'userId', operator: 'STR_CONTAINS' as const, value: '', values: ['a'] }],
        segments: [],
        variants,
      },
      two: { name: 'gradualRolloutUserId', parameters: { percentage: '', groupId: '' } },
      three: { name: 'country', parameters: { countries: 'de', stickiness: '' } },
    };
    const environments = { development: { enabled: true, strategies, variants }, production: { strategies: {} } };
    await instance.apply(
      aFlag(`${home}/quiet`, { description: '', tags: [], dependencies: [], variants, environments }),
      aFlag(`${home}/quieter`, { variants: [], environments: {} }),
    );
    const { spec } = await instance.flagNamed('quiet');
    const { body } = await call(EXPORT);
    const answer = await instance.untouched('POST /state/import?keep=false', { body });
    expect(answer.status, answer.text).toBe(202);
    expect((await instance.flagNamed('quiet')).spec).toEqual(spec);
    for (const name of ['quiet', 'quieter']) {
      await call(`DELETE /projects/shop/features/${name}`);
      await call(`DELETE /archive/${name}`);
    }
  });

  test('payloads that are not of their type are imported again, but not added', async () => {
    const { call, home } = instance;
    const variants = [{ name: 'a', payload: { type: 'json' as const, value: '{' } }];
    await instance.apply(aFlag(`${home}/torn`, { variants, environments: { development: { variants } } }));
    const body = await exported();
    for (const query of ['?keep=false', '?drop=true&dryRun=true']) {
      const answer = await instance.untouched(`POST /state/import${query}`, { body });
      expect(answer.status, answer.text).toBeLessThan(203);
    }
    const renamed = JSON.parse(JSON.stringify(body).replaceAll('"torn"', '"tear"'));
    const refused = await instance.untouched('POST /state/import', { body: renamed });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('.variants[0].payload.value')]);
    await call('DELETE /projects/shop/features/torn');
    await call('DELETE /archive/torn');
  });

  test('windows are exported with the switch, and stay where a document does not mention them', async () => {
    const { featureEnvironments: rows, ...rest } = await exported();
    const row = rows.find((one: Stored) => one.activeFrom !== undefined);
    expect(row).toMatchObject({
      enabled: true,
      activeFrom: '2040-01-01T08:00:00+01:00',
      activeUntil: '2041-01-01T00:00:00Z',
    });
    const { activeFrom: _, activeUntil: __, ...bare } = row;
    const without = { ...rest, featureEnvironments: rows.map((one: Stored) => (one === row ? bare : one)) };
    expect((await instance.untouched('POST /state/import?keep=false', { body: without })).status).toBe(202);
    const moved = { ...row, activeFrom: null, activeUntil: '2042-01-01T00:00:00Z' };
    const other = { ...rest, featureEnvironments: rows.map((one: Stored) => (one === row ? moved : one)) };
    expect((await instance.call('POST /state/import?keep=false', { body: other })).status).toBe(202);
    const { spec } = await instance.flagNamed(row.featureName);
    const { activeFrom, activeUntil } = spec.environments?.[row.environment] ?? {};
    expect([activeFrom, activeUntil]).toEqual([undefined, '2042-01-01T00:00:00Z']);
    const back = { ...rest, featureEnvironments: rows };
    expect((await instance.call('POST /state/import?keep=false', { body: back })).status).toBe(202);
    const wrong = { ...moved, activeUntil: 'tomorrow' };
    const odd = { ...rest, featureEnvironments: rows.map((one: Stored) => (one === row ? wrong : one)) };
    expect((await instance.untouched('POST /state/import', { body: odd })).status).toBe(400);
  });

  test('an environment that is gone for the moment is named, and its configuration survives drop', async () => {
    const { call, home } = instance;
    const moon = { enabled: true, strategies: { all: { name: 'default' } } };
    await instance.apply(aFlag(`${home}/travelling`, { environments: { moon, development: moon } }));
    const { body, headers } = await call(EXPORT);
    expect(headers.get('warning')).toContain('travelling spec.environments.moon');
    expect(JSON.stringify(body)).not.toContain('moon');
    expect((await call('POST /state/import?drop=true', { body })).status).toBe(202);
    expect((await instance.flagNamed('travelling')).spec.environments).toEqual({ moon, development: moon });
    await call('DELETE /projects/shop/features/travelling');
    await call('DELETE /archive/travelling');
  });

  test('later changes are undone, new objects are deleted, deleted ones are created again, as in the document', async () => {
    const before = await exported();
    const { call, home } = instance;
    const flag = '/projects/shop/features/all-said';
    await call(`DELETE ${flag}/environments/development/strategies/staff-first`);
    await call(`POST ${flag}/environments/development/strategies`, { body: { name: 'default' } });
    await call(`PUT ${flag}/variants`, { body: [{ name: 'other' }] });
    await call(`PUT ${flag}`, { body: { description: 'other' } });
    await call('POST /projects/shop/features', { body: { name: 'newcomer' } });
    await call('DELETE /projects/shop/features/plain');
    await call('DELETE /archive/plain');
    await call('POST /strategies/oldie/reactivate');
    await call('PUT /strategies/country', { body: { description: 'else', parameters: [] } });
    await call('POST /strategies', { body: { name: 'newtype', parameters: [] } });
    await call('PUT /segments/1', { body: { description: null, constraints: [] } });
    await call('POST /segments', { body: { name: 'new segment', constraints: [] } });
    expect(await exported()).not.toEqual(before);
    const { metadata } = await instance.flag(`${home}/all-said`);
    expect((await call('POST /state/import?drop=true', { body: before })).status).toBe(202);
    expect(withoutTimes(await exported())).toEqual(withoutTimes(before));
    expect((await instance.flag(`${home}/all-said`)).metadata.uid).toBe(metadata.uid);
    expect(await instance.flagsNamed('newcomer')).toEqual([]);
    const again = await instance.untouched('POST /state/import?drop=true', { body: before });
    expect(again.status).toBe(202);
  });
});

test('in an empty instance the document is the same, and a second import writes nothing', async () => {
  const before = await exported();
  const empty = await startInstance('round-trip-empty');
  try {
    // Flags are imported into the namespace of their project; this project already exists in the other namespace.
    const answer = await empty.call('POST /state/import', { body: before });
    expect([answer.status, answer.text]).toEqual([202, 'Accepted']);
    await empty.served('GET /segments/1');
    const after = (await empty.call(EXPORT)).body;
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect((await empty.untouched('POST /state/import?drop=true', { body: before })).status).toBe(202);
  } finally {
    await empty.stop();
  }
});

function withoutTimes(document: Stored): Stored {
  return JSON.parse(JSON.stringify(document, (key, value) => (key === 'createdAt' ? undefined : value)));
}
