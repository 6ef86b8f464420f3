/** The lifetime of a single flag: each way to set it, and what follows from it 30 days after the flag was created. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

let instance: Instance;

const AHEAD_MS = 30 * 24 * 60 * 60 * 1000;

beforeAll(async () => {
  const now = Date.now.bind(Date);
  // The API server sets the creation time of a flag, so the test moves the clock of the operator ahead.
  vi.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_MS);
  instance = await startInstance('lifetime');
  const { cluster, call, home } = instance;
  await apply('first');
  await untilRecording(cluster, call, { flag: `${FLAGS}/first`, namespace: home });
});
afterAll(async () => {
  await instance?.stop();
  vi.restoreAllMocks();
});

const FLAGS = '/projects/shop/features';
const apply = (name: string, spec: Parameters<typeof aFlag>[1] = {}) =>
  instance.apply(aFlag(`${instance.home}/${name}`, spec));
const stored = async (name: string) => (await instance.flagNamed(name)).spec.lifetimeDays;
const shown = async (name: string) => (await instance.call(`GET ${FLAGS}/${name}`)).body.lifetimeDays;
const put = (name: string, body: object) => instance.call(`PUT ${FLAGS}/${name}`, { body });
const patch = (name: string, ...body: readonly object[]) => instance.call(`PATCH ${FLAGS}/${name}`, { body });

describe('set and removed', () => {
  test('create stores it, and every answer about the flag shows it', async () => {
    const { status, body } = await instance.call(`POST ${FLAGS}`, { body: { name: 'created', lifetimeDays: 3650 } });
    expect([status, body.lifetimeDays]).toEqual([201, 3650]);
    expect(await stored('created')).toBe(3650);
    expect(await shown('created')).toBe(3650);
    const { features } = (await instance.call(`GET ${FLAGS}`)).body;
    expect(features.find((one: { name: string }) => one.name === 'created').lifetimeDays).toBe(3650);
  });

  test.each([
    ['left out', {}],
    ['null', { lifetimeDays: null }],
  ])('created with %s it is neither stored nor answered', async (what, said) => {
    const name = `none-${what.replace(' ', '-')}`;
    const { body } = await instance.call(`POST ${FLAGS}`, { body: { name, ...said } });
    expect(body).not.toHaveProperty('lifetimeDays');
    expect((await instance.flagNamed(name)).spec).not.toHaveProperty('lifetimeDays');
  });

  test('PUT and PATCH replace, remove or keep it', async () => {
    await apply('changed', { lifetimeDays: 10 });
    const steps: readonly (readonly [() => ReturnType<typeof put>, number | undefined])[] = [
      [() => put('changed', { lifetimeDays: 20 }), 20],
      // Clients that do not know it leave it out.
      [() => put('changed', { description: 'after' }), 20],
      [() => put('changed', { lifetimeDays: null }), undefined],
      [() => patch('changed', { op: 'add', path: '/lifetimeDays', value: 20 }), 20],
      [() => patch('changed', { op: 'replace', path: '/description', value: 'again' }), 20],
      [() => patch('changed', { op: 'replace', path: '/lifetimeDays', value: 30 }), 30],
      [() => patch('changed', { op: 'replace', path: '/lifetimeDays', value: null }), undefined],
      [() => put('changed', { lifetimeDays: 10 }), 10],
      [() => patch('changed', { op: 'remove', path: '/lifetimeDays' }), undefined],
    ];
    for (const [change, wanted] of steps) {
      expect((await change()).body.lifetimeDays).toBe(wanted);
      expect(await stored('changed')).toBe(wanted);
    }
  });

  test.each([0, 3651])('%j is refused by create, PUT, PATCH and import', async (lifetimeDays) => {
    await apply('refusing', { lifetimeDays: 10 });
    const operation = { op: 'replace', path: '/lifetimeDays', value: lifetimeDays };
    const document = { features: [{ name: 'refused', lifetimeDays }] };
    const refused = { status: 400, name: 'ValidationError' };
    for (const message of [
      await instance.refuses(`POST ${FLAGS}`, { body: { name: 'refused', lifetimeDays }, ...refused }),
      await instance.refuses(`PUT ${FLAGS}/refusing`, { body: { lifetimeDays }, ...refused }),
      await instance.refuses(`PATCH ${FLAGS}/refusing`, { body: [operation], ...refused }),
      await instance.refuses('POST /state/import', { body: document, ...refused }),
    ]) {
      expect(message).toContain('lifetimeDays');
    }
  });

  test('kubectl sets it within its bounds, and explains it', async () => {
    const { cluster, home } = instance;
    await apply('by-kubectl', { lifetimeDays: 10 });
    expect(await shown('by-kubectl')).toBe(10);
    for (const lifetimeDays of [0, 3651]) {
      const patched = cluster.patchObject('ff/by-kubectl', home, { spec: { lifetimeDays } });
      await expect(patched).rejects.toThrow(/spec\.lifetimeDays/);
    }
    expect(await cluster.kubectlOrThrow(['explain', 'featureflag.spec.lifetimeDays'])).toMatch(
      /<integer>[\s\S]*How many days/,
    );
  });

  test.each([-1, 1.5, '30'])('%j is refused by create', async (lifetimeDays) => {
    const body = { name: 'refused', lifetimeDays };
    const message = await instance.refuses(`POST ${FLAGS}`, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('lifetimeDays');
  });

  test('a clone has the lifetime of its source', async () => {
    await apply('source', { lifetimeDays: 10 });
    const { body } = await instance.call(`POST ${FLAGS}/source/clone`, { body: { name: 'copy' } });
    expect(body.lifetimeDays).toBe(10);
    expect(await stored('copy')).toBe(10);
  });

  test('an export has the lifetime of the flag; an import sets it, and keeps it if the document does not contain it', async () => {
    await apply('carried', { lifetimeDays: 10 });
    await apply('uncarried');
    const { features } = (await instance.call('GET /state/export')).body;
    const exported = (name: string) => features.find((one: { name: string }) => one.name === name);
    expect(exported('carried').lifetimeDays).toBe(10);
    expect(exported('uncarried')).not.toHaveProperty('lifetimeDays');

    const imported = async (fields: object, query: string) => {
      const body = { features: [{ name: 'carried', project: 'shop', ...fields }] };
      expect((await instance.call(`POST /state/import?${query}`, { body })).status).toBe(202);
      return stored('carried');
    };
    expect(await imported({ lifetimeDays: 20 }, 'keep=false')).toBe(20);
    expect(await imported({ description: 'after' }, 'keep=false')).toBe(20);
  });

  test('the history shows it before and after, and the note of the Event names it', async () => {
    await apply('recorded', { lifetimeDays: 10 });
    await put('recorded', { lifetimeDays: 20 });
    const filter = 'feature=IS:recorded&type=IS:feature-metadata-updated';
    const [entry] = await untilRecorded(instance.call, filter, 1);
    expect([entry.preData.lifetimeDays, entry.data.lifetimeDays]).toEqual([10, 20]);
    const note = await waitUntil({ what: 'the Event is published' }, async () => {
      const { items } = await instance.cluster.getObject('events', instance.home);
      const found = items.filter(
        ({ reason, regarding }: Stored) => reason === 'FeatureMetadataUpdated' && regarding.name === 'recorded',
      );
      return found.length === 1 && found[0].note;
    });
    expect(note).toContain('(lifetimeDays)');
  });
});

describe('30 days after the flag was created', () => {
  const isPotentiallyStale = async (name: string) =>
    (await instance.flag(`${instance.home}/${name}`)).status.conditions.some(
      ({ type, status }: { type: string; status: string }) => type === 'PotentiallyStale' && status === 'True',
    );

  test('it is potentially stale by the lifetime of its own, or of its type', async () => {
    const cases: readonly (readonly [string, Parameters<typeof aFlag>[1], boolean])[] = [
      ['release', {}, false],
      ['release-of-30', { lifetimeDays: 30 }, true],
      ['release-of-31', { lifetimeDays: 31 }, false],
      ['operational', { type: 'operational' }, true],
      ['operational-of-31', { type: 'operational', lifetimeDays: 31 }, false],
      ['permission-of-30', { type: 'permission', lifetimeDays: 30 }, true],
    ];
    await instance.apply(...cases.map(([name, spec]) => aFlag(`${instance.home}/${name}`, spec)));
    for (const [name, , wanted] of cases) expect([name, await isPotentiallyStale(name)]).toEqual([name, wanted]);
  });

  test('the status follows a change of the lifetime, and the history records when it begins', async () => {
    await apply('follows', { lifetimeDays: 31 });
    await put('follows', { lifetimeDays: 30 });
    expect(await isPotentiallyStale('follows')).toBe(true);
    await untilRecorded(instance.call, 'feature=IS:follows&type=IS:feature-potentially-stale-on', 1);
    await put('follows', { lifetimeDays: null });
    expect(await isPotentiallyStale('follows')).toBe(false);
    await untilRecorded(instance.call, 'feature=IS:follows&type=IS:feature-metadata-updated', 2);
    expect(await recorded(instance.call, 'feature=IS:follows&type=IS:feature-potentially-stale-on')).toHaveLength(1);
  });

  test('the status names the deciding field', async () => {
    await apply('named', { lifetimeDays: 30 });
    const { problems } = (await instance.flag(`${instance.home}/named`)).status;
    expect(problems).toMatchObject([
      {
        path: 'spec.lifetimeDays',
        reason: 'LifetimeExceeded',
        message: expect.stringMatching(/^lifetimeDays is 30 and the flag was created on /),
      },
    ]);
  });
});
