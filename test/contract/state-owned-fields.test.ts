/** POST /state/import onto flags that a GitOps tool owns: nothing is overwritten or dropped without `force`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const IMPORT = 'POST /state/import';
const DROP = `${IMPORT}?drop=true`;

let instance: Instance;
let writers: Writers;

beforeAll(async () => {
  instance = await startInstance('state-held');
  writers = writersOf(instance.cluster);
});
afterAll(async () => {
  writers.close();
  await instance.stop();
});

const document = (...names: readonly string[]) => ({
  features: names.map((name) => ({ name, project: 'shop', description: 'imported' })),
});

async function give(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await writers.apply(GIT, aFlag(`${instance.home}/${name}`, { description: 'from Git' }));
    await instance.served(`GET /projects/shop/features/${name}`);
  }
}

test.each([
  ['overwritten', 'POST /state/import?keep=false', document('held', 'free')],
  ['overwritten by a document that drops the others', DROP, document('held', 'free')],
  ['dropped', DROP, document('free')],
])('a flag that Git owns is not %s, and nothing else is written', async (_, request, body) => {
  await give('held');
  const refused = { status: 409, name: 'FieldManagedError', body };
  expect(await instance.refuses(request, refused)).toContain(`spec.description by "${GIT}"`);
  const plan = await instance.untouched(`${request}&dryRun=true`, { body });
  expect([plan.status, JSON.stringify(plan.body.conflicts)]).toEqual([
    202,
    expect.stringContaining('spec.description'),
  ]);
});

test('fields that Git owns are unchanged by an import that keeps existing objects', async () => {
  await give('held');
  expect((await instance.untouched(IMPORT, { body: document('held') })).status).toBe(202);
});

test('with force they are overwritten and dropped, and the answer names the owners', async () => {
  await give('over', 'gone');
  const { status, headers } = await instance.call(`${DROP}&force=true`, { body: document('over') });
  expect([status, headers.get('warning')]).toEqual([202, expect.stringContaining(GIT)]);
  expect((await instance.flagNamed('over')).spec.description).toBe('imported');
  expect(await instance.flagsNamed('gone')).toEqual([]);
});

test('in a project that takes over they are dropped without force', async () => {
  await instance.apply(aProject(`${instance.home}/ours`, { managedFields: 'TakeOver' }));
  await writers.apply(GIT, aFlag(`${instance.home}/taken`, { project: 'ours' }));
  await instance.served('GET /projects/ours/features/taken');
  expect((await instance.call(`${DROP}`, { body: document('over') })).status).toBe(202);
  expect(await instance.flagsNamed('taken')).toEqual([]);
});
