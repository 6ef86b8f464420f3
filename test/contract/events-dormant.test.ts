/** The history of objects without effect, which have a name or a project of somebody else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aChangeRequest, aFlag, aProject, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';

let instance: Instance;
const on = { environments: { development: { enabled: true, strategies: { all: { name: 'default' } } } } };

beforeAll(async () => {
  instance = await startInstance('dormant');
  const { cluster, home } = instance;
  await instance.apply(aFlag(`${home}/payments`, on));
  const flag = '/projects/shop/features/payments';
  await untilRecording(cluster, adminClient(instance.url), { flag, namespace: home });
});
afterAll(() => instance.stop());

test('belongs to no project, and says the namespace', async () => {
  const { home, other } = instance;
  await instance.apply(
    aFlag(`${other}/payments`, { ...on, project: 'pay' }),
    aFlag(`${other}/unheard-of`, { ...on, project: 'shop' }),
    aProject(`${other}/shop`),
    aSegment(`${home}/staff`),
    aSegment(`${other}/staff`),
  );
  // The flag of the same name has events of its own, if its creation was recorded.
  const dormantOf = (filter: string, count: number) =>
    waitUntil({ what: `${count} entries for ${filter}` }, async () => {
      const events = (await recorded(instance.call, filter)).filter(({ namespace }) => namespace === other);
      return events.length >= count && events;
    });
  const dormant = [
    ...(await dormantOf('feature=IS:payments&type=IS:feature-environment-enabled', 1)),
    ...(await dormantOf('feature=IS:unheard-of', 3)),
    ...(await dormantOf('query=shop&type=IS:project-created', 1)),
  ];
  for (const event of dormant) {
    expect(event['project']).toBe(null);
    expect(event['summary']).toContain(`in namespace **${other}**, without effect`);
    expect(event['summary']).not.toContain('](');
  }
  await instance.apply(aChangeRequest(`${other}/asked`, 'payments'));
  const [request] = await dormantOf('type=IS:change-request-created', 1);
  expect(request).toMatchObject({ project: null, featureName: 'payments' });
  expect(request?.['summary']).toContain(`in namespace **${other}**, without effect`);
  const segments = await waitUntil({ what: 'both segments are recorded' }, async () => {
    const found = await recorded(instance.call, 'type=IS:segment-created');
    return found.length >= 2 && found;
  });
  expect(segments.map(({ namespace }) => namespace).toSorted()).toEqual([home, other].toSorted());
  const ofProjects = await recorded(instance.call, 'project=IS_ANY_OF:shop,pay');
  expect(ofProjects.filter(({ namespace }) => namespace !== undefined)).toEqual([]);
  const flags = ofProjects.flatMap(({ project, featureName }) => (featureName ? [`${project} ${featureName}`] : []));
  expect(new Set(flags)).toEqual(new Set(['shop payments']));
});

test('belongs to no project, if its project is later made elsewhere', async () => {
  const { home, other } = instance;
  const early = { ...on, project: 'later' };
  const segmented = { project: 'later', constraints: [] };
  await instance.apply(
    aFlag(`${other}/stranger`, early),
    aFlag(`${home}/early`, early),
    aSegment(`${other}/strangers`, segmented),
    aSegment(`${home}/earlier`, segmented),
    aChangeRequest(`${other}/asked-early`, 'stranger'),
  );
  const byProject = () => recorded(instance.call, 'project=IS:later');
  const isOf = (namespace: string) => (event: Readonly<Record<string, unknown>>) => event['namespace'] === namespace;
  await waitUntil({ what: 'flags, segments and the request are recorded' }, async () => {
    const found = await byProject();
    const names = new Set(found.map(({ featureName }) => featureName));
    const types = new Set(found.map(({ type }) => type));
    const hasSegments = found.some(isOf(other)) && found.some(isOf(home));
    return names.has('stranger') && names.has('early') && hasSegments && types.has('change-request-created');
  });
  await instance.apply(aProject(`${home}/later`));
  const ofProject = await waitUntil({ what: 'the stranger is gone from the project' }, async () => {
    const found = await byProject();
    return !found.some(({ featureName }) => featureName === 'stranger') && found;
  });
  expect(ofProject.some(({ featureName }) => featureName === 'early')).toBe(true);
  // Segments of the operator namespace may belong to projects elsewhere.
  expect(ofProject.filter(isOf(other))).toEqual([]);
  expect(ofProject.some(isOf(home))).toBe(true);
  const created = await recorded(instance.call, 'type=IS:segment-created');
  expect(created.filter(isOf(other)).map(({ project }) => project)).not.toContain('later');
  for (const { project, namespace, summary } of await recorded(instance.call, 'feature=IS:stranger')) {
    expect([project, namespace]).toEqual([null, other]);
    expect(summary).toContain('without effect');
  }
});
