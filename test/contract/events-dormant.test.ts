/** The history of objects without effect, which have a name or a project of somebody else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject } from '../support/builders.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

let instance: Instance;
const ask = (request: string) => adminClient(instance.url)(request);
const on = { environments: { development: { enabled: true, strategies: { all: { name: 'default' } } } } };

beforeAll(async () => {
  instance = await startInstance('dormant');
  const { cluster, home } = instance;
  await instance.apply(aFlag(`${home}/payments`, on));
  const flag = '/projects/shop/features/payments';
  await untilRecording(cluster, adminClient(instance.url), { flag, namespace: home });
});
afterAll(() => instance.stop());

const found = async (query: string): Promise<readonly Stored[]> =>
  (await ask(`GET /search/events?${query}`)).body.events;

test('belongs to no project, and says the namespace', async () => {
  const { other } = instance;
  await instance.apply(
    aFlag(`${other}/payments`, { ...on, project: 'pay' }),
    aFlag(`${other}/unheard-of`, { ...on, project: 'shop' }),
    aProject(`${other}/shop`),
  );
  const twin = await untilRecorded(
    adminClient(instance.url),
    'feature=IS:payments&type=IS:feature-environment-enabled',
    1,
  );
  const stranger = await untilRecorded(adminClient(instance.url), 'feature=IS:unheard-of', 3);
  const [project] = await untilRecorded(adminClient(instance.url), `query=shop&type=IS:project-created`, 1);
  const dormant = [...twin, ...stranger, project];
  for (const event of dormant) {
    expect(event).toMatchObject({ project: null, namespace: other });
    expect(event?.['summary']).toContain(`in namespace **${other}**, without effect`);
    expect(event?.['summary']).not.toContain('](');
  }
  const ids = new Set(dormant.map((event) => event?.['id']));
  const ofProjects = await found('project=IS_ANY_OF:shop,pay&limit=1000');
  expect(ofProjects.filter(({ id, namespace }) => ids.has(id) || namespace !== undefined)).toEqual([]);
  expect(ofProjects.map(({ featureName }) => featureName)).toContain('payments');
});
