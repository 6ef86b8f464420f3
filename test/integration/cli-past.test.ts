/** explain --as-of, diff and restore, as processes against a cluster and a running operator. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aSegment, aStrategyType } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { inNextSecond, untilVersionsAreKept } from '../support/in-next-second.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { writersOf } from '../support/written-as.ts';

const BOOTSTRAP = `*:*.${'5d'.repeat(28)}`;
const GIT = 'kustomize-controller';
let instance: RecordingInstance;
let ask: Call;
let then: string;

const strategies = {
  staff: { name: 'userWithId', parameters: { userIds: '42' } },
};
const isIn = (user: string) => ({ contextName: 'userId', operator: 'IN' as const, values: [user] });
const on = { environments: { production: { enabled: true, strategies } } };
const ramped = {
  description: 'ramped',
  environments: {
    production: {
      enabled: true,
      activeUntil: '2040-01-01T00:00:00Z',
      strategies: {
        half: {
          name: 'flexibleRollout',
          parameters: { rollout: 0, stickiness: 'default' },
          ramp: { steps: [{ rollout: 0, for: '24h' }, { rollout: 100 }], startAt: '2030-01-01T00:00:00Z' },
        },
      },
    },
  },
};

const run = (...args: readonly string[]) =>
  vexil(args, {
    environment: {
      KUBECONFIG: instance.cluster.kubeconfig,
      VEXIL_SERVER: instance.url,
      VEXIL_TOKEN: BOOTSTRAP,
    },
  });

beforeAll(async () => {
  instance = await startRecordingInstance('cli-past', { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP });
  ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  const { home, other, cluster } = instance;
  await untilVersionsAreKept(ask, 'shop');
  await instance.apply(
    aSegment(`${home}/staff`, { name: 'Staff', constraints: [isIn('ada')] }),
    aSegment(`${home}/replaced`, { constraints: [isIn('ada')] }),
    anEnvironment(`${home}/staging`, { sortOrder: 7 }),
    aStrategyType(`${home}/country`, { description: 'first' }),
    aProject(`${home}/ledger`, { description: 'first' }),
    aProject(`${other}/far`, { description: 'first' }),
    aFlag(`${home}/checkout`, on),
    aFlag(`${home}/ramped`, ramped),
    aFlag(`${home}/gone`, { ...on, name: 'Gone' }),
  );
  const writers = writersOf(cluster);
  await writers.apply(GIT, aFlag(`${home}/from-git`, { description: 'first', ...on }));
  await instance.judged(aFlag(`${home}/from-git`));
  then = await inNextSecond();
  await inNextSecond();
  await ask('POST /projects/shop/features/checkout/environments/production/off');
  await ask('DELETE /projects/shop/features/Gone');
  await ask('DELETE /archive/Gone');
  await writers.apply(GIT, aFlag(`${home}/from-git`, { description: 'second', ...on }));
  await instance.apply(aFlag(`${home}/ramped`, { description: 'changed' }), aFlag(`${home}/new`, on));
  await inNextSecond();
});
afterAll(() => instance?.stop());

test('explain shows a flag as it was, and what a user got', async () => {
  const explain = (...args: string[]) => run('explain', 'checkout', '--env', 'production', ...args);
  const [past, other, now, json] = await Promise.all([
    explain('--as-of', then, '--user', '42'),
    explain('--as-of', then, '--user', '43'),
    // Other tests have flags of this name in other namespaces.
    explain('--user', '42', '--namespace', instance.home),
    explain('--as-of', then, '--user', '42', '--output', 'json'),
  ]);
  expect(past).toMatchObject({ stderr: '', stdout: expect.stringContaining(`shop/checkout as of ${then}\n`) });
  expect(past.stdout).toMatch(/^production +on +1$/m);
  expect(past.stdout).toContain('In production for userId=42: on\n');
  expect(other.stdout).toContain('In production for userId=43: off\n');
  expect(now).toMatchObject({ stderr: '', stdout: expect.stringContaining('In production for userId=42: off\n') });
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ project: 'shop', name: 'checkout', certain: true, uncertain: [] },
    states: [{ when: 'certain', flag: { name: 'checkout' }, evaluation: { enabled: true } }],
  });
  const gone = await run(
    'explain',
    'Gone',
    '--project',
    'shop',
    '--env',
    'production',
    '--as-of',
    then,
    '--user',
    '42',
  );
  expect(gone.stdout).toContain('In production for userId=42: on\n');
});

test('diff shows each field that changed, and what came and went', async () => {
  const { code, stdout } = await run('diff', '--from', then, '--project', 'shop');
  expect(code).toBe(2);
  expect(stdout).toContain('gone shop/Gone\n');
  expect(stdout).toContain('created shop/new\n');
  expect(stdout).toContain('changed shop/checkout\n  ~ spec.environments.production.enabled: true -> false\n');
  expect(stdout).toContain('5 flags differ.');
  expect(await run('diff', '--from', then, '--to', then, '--project', 'shop')).toMatchObject({
    ...{ code: 0, stdout: 'No flag differs.\n' },
  });
});

test.each([
  ['2026-03-01', 64, '--as-of must be a time with a zone'],
  ['2125-03-01T00:00:00Z', 1, 'is in the future'],
  ['2020-03-01T00:00:00Z', 1, 'The history has complete versions since'],
])('restore refuses the time %s', async (time, code, message) => {
  const finished = await run('restore', '--as-of', time, '--project', 'shop', '--flag', 'checkout', '--yes');
  expect(finished).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

test('restore plans, asks, and writes what nobody else owns, each change as a restore', async () => {
  const { home } = instance;
  const before = await instance.everything();
  const restore = (...args: string[]) => run('restore', '--as-of', then, '--project', 'shop', ...args);
  const unasked = await restore();
  expect(unasked).toMatchObject({ code: 64, stderr: expect.stringContaining('give --yes') });
  expect(unasked.stdout).toContain(`change FeatureFlag ${home}/checkout\n`);
  expect(unasked.stdout).toContain('stays: shop/new did not exist then\n');
  expect(await instance.everything()).toEqual(before);

  const finished = await restore('--yes');
  expect(finished).toMatchObject({ code: 1, stdout: expect.stringContaining('3 objects restored\n') });
  expect(finished.stdout).toContain(`conflict FeatureFlag ${home}/from-git\n`);
  const specOf = async (name: string) => (await instance.flag(`${home}/${name}`)).spec;
  expect(await specOf('checkout')).toMatchObject(on);
  expect(await specOf('ramped')).toEqual({ ...ramped, project: 'shop' });
  expect(await specOf('gone')).toMatchObject({ ...on, name: 'Gone' });
  expect(await specOf('from-git')).toMatchObject({ description: 'second' });

  const recorded = await waitUntil({ what: 'the restore is recorded' }, async () => {
    const { body } = await ask('GET /search/events?feature=IS:checkout&type=IS:feature-environment-enabled');
    return body.events.find((event: { fieldManager: string | null }) => event.fieldManager === 'vexil-restore');
  });
  expect(recorded).toMatchObject({ channel: 'kubernetes' });
  expect(await restore('--flag', 'checkout', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 objects restored\n'),
  });
});

test('restore gives other objects their specs back, and names what is another object now', async () => {
  const { home, other, cluster } = instance;
  const restored = await inNextSecond();
  await inNextSecond();
  await instance.apply(
    aStrategyType(`${home}/country`, { description: 'second' }),
    aProject(`${home}/ledger`, { description: 'second' }),
  );
  for (const gone of ['segments/staff', 'segments/replaced', 'environments/staging']) {
    await cluster.deleteObject(gone, home);
  }
  await cluster.deleteObject('projects/far', other);
  await instance.apply(aSegment(`${home}/replaced`, { constraints: [isIn('eva')] }));
  await inNextSecond();
  // kubectl leaves no time of a deletion: the one of the Environment makes times before it uncertain for every flag.
  const restore = (...args: string[]) => run('restore', '--as-of', restored, '--in-gap', 'before', ...args);
  const specOf = async (object: string) => (await cluster.getObject(object, home)).spec;
  const names = ['segment/Staff', 'segment/replaced', 'fenv/staging', 'strategydefinitions/country', 'project/ledger'];
  const finished = await restore(...names, '--yes');
  expect(finished).toMatchObject({ code: 1, stdout: expect.stringContaining('4 objects restored\n') });
  const lines = finished.stdout.split('\n').filter((line) => /^\w+ [A-Z]/.test(line));
  expect(lines).toEqual([
    `create Environment ${home}/staging`,
    `change StrategyDefinition ${home}/country`,
    `change Project ${home}/ledger`,
    `create Segment ${home}/staff`,
    `rejected Segment ${home}/replaced`,
  ]);
  expect(finished.stdout).toContain('! replaced is another object now: that of then, with the uid ');
  expect(await specOf('segments/staff')).toEqual({ name: 'Staff', constraints: [isIn('ada')] });
  expect(await specOf('environments/staging')).toEqual({ sortOrder: 7 });
  expect(await specOf('strategydefinitions/country')).toMatchObject({ description: 'first' });
  expect(await specOf('projects/ledger')).toMatchObject({ description: 'first' });
  expect(await restore('segment/replaced', '--other-objects', '--yes')).toMatchObject({ code: 0 });
  expect(await specOf('segments/replaced')).toEqual({ constraints: [isIn('ada')] });
  await cluster.request({ method: 'DELETE', path: `/api/v1/namespaces/${other}` });
  const far = await restore('project/far', '--yes');
  expect(far).toMatchObject({ code: 1, stdout: expect.stringContaining('0 objects restored\n') });
  expect(far.stdout).toMatch(/^rejected Project .*\n {2}! .*(terminated|the namespace .* is gone)/m);
});

test.each([
  ['flag/checkout', 'an object is KIND/NAME, with the kind environment, strategydefinition, project, segment'],
  ['segment', 'it is "segment"'],
])('restore refuses the object %s', async (object, message) => {
  const finished = await run('restore', object, '--as-of', then, '--yes');
  expect(finished).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
});

test('restore names an object that did not exist then', async () => {
  const finished = await run('restore', 'segment/never', '--as-of', then, '--in-gap', 'before', '--yes');
  expect(finished.stderr).toContain('there was no Segment never then');
});

test('restore makes an Environment again without its clone', async () => {
  const { home, cluster } = instance;
  await instance.apply(anEnvironment(`${home}/copied`, { sortOrder: 8, clone: { from: 'staging' } }));
  const before = await inNextSecond();
  await inNextSecond();
  await cluster.deleteObject('environments/copied', home);
  await inNextSecond();
  const restored = await run('restore', 'environment/copied', '--as-of', before, '--in-gap', 'before', '--yes');
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('note: Environment copied is made again'),
  });
  expect((await cluster.getObject('environments/copied', home)).spec).toEqual({ sortOrder: 8 });
});
