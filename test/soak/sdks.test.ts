/** SDKs of several languages, unmodified, against one operator: they follow changes, and agree about odd flags. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { aFlag, aSegment } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { oddFlags, oddUsers } from '../support/odd-flags.ts';
import { readMetric } from '../support/read-metric.ts';
import { type SdkProgram, sdkPrograms, startSdkProgram } from '../support/sdk-programs.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const COUNT = 300;
/** The CRD rejects some of them. */
const LEAST = 250;
const HEALTHY = 'healthy';
const WATCHED = 'watched';
const odd = oddFlags(COUNT, 1);
const on = { enabled: true, strategies: { all: { name: 'default' } } };

/** Applications whose numbers were compared. */
const counted = new Set<string>();

let instance: Instance;
let token: string;
let file: Awaited<ReturnType<typeof usageFile>>;
let flags: readonly string[];
let expected: readonly (readonly string[])[];

beforeAll(async () => {
  file = await usageFile();
  instance = await startInstance('sdks', { settings: { VEXIL_AUTH: 'token', ...file.settings } });
  token = await tokenValue(instance, 'backend');
  await instance.apply(aFlag(`${instance.home}/${HEALTHY}`, { environments: { production: on } }));
  flags = [HEALTHY, ...(await createOddFlags())];
  expect(flags.length).toBeGreaterThan(LEAST);
  expected = await answersOfNode();
});
afterAll(async () => {
  await instance.stop();
  await file.remove();
});

/** The names of those that the API server takes. */
async function createOddFlags(): Promise<readonly string[]> {
  const transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const path = `/apis/vexil.dev/v1alpha1/namespaces/${instance.home}/featureflags`;
  const created: string[] = [];
  await instance.apply(...odd.segments.map((spec, index) => aSegment(`${instance.home}/odd-${index}`, spec)));
  for (const [name, spec] of odd.flags) {
    const body = aFlag(`${instance.home}/${name}`, spec);
    await transport.request({ method: 'POST', path, body }).then(
      () => created.push(body.metadata.name),
      (error: unknown) => {
        if (!isClusterError(error, 'invalid')) throw error;
      },
    );
  }
  transport.close();
  await instance.judged(...created.map((name) => aFlag(`${instance.home}/${name}`)));
  return created;
}

async function answersOfNode(): Promise<typeof expected> {
  const sdk = startSdk(instance.url, { token });
  await nextEvent(sdk, 'synchronized');
  const answers = flags.map((flag) =>
    oddUsers.map((user) => `${sdk.isEnabled(flag, { ...user })} ${sdk.getVariant(flag, { ...user }).name}`),
  );
  endSdk(sdk);
  return answers;
}

test('the healthy flag is on for everybody, and some odd ones are for some', () => {
  expect(new Set(expected[0])).toEqual(new Set(['true disabled']));
  expect(new Set(expected.flat()).size).toBeGreaterThan(5);
});

test.each(['"segments":["', '"dependencies"', 'SEMVER_GTE', 'SEMVER_LTE', 'REGEX', 'IN_CIDR'])(
  'some flag with %s is on for some users and off for others',
  (text) => {
    const having = flags.filter((flag) => JSON.stringify(odd.flags.get(flag) ?? {}).includes(text));
    const answers = having.map((flag) => new Set(expected[flags.indexOf(flag)]?.map((one) => one.split(' ')[0])));
    expect(Math.max(...answers.map(({ size }) => size))).toBe(2);
  },
);

describe.each(Object.entries(sdkPrograms))('%s', (name, make) => {
  let program: SdkProgram;
  beforeAll(async () => {
    await instance.apply(aFlag(`${instance.home}/${WATCHED}`, { archived: false, environments: { production: on } }));
    program = await startSdkProgram(make, { url: instance.url, token, flags, users: oddUsers, watched: WATCHED });
  });
  afterAll(() => program.stop());

  const untilWatched = (wanted: string) =>
    waitUntil({ what: `the flag is ${wanted}`, everyMs: 20 }, async () => program.watched.at(-1) === wanted);

  test('agrees with Node about every flag and user', async () => {
    const answers = await program.answers;
    const isComparable = (flag: string) => !(name.startsWith('Go ') && odd.later.has(flag));
    const differing = flags.filter((flag, index) => isComparable(flag) && `${answers[index]}` !== `${expected[index]}`);
    expect(differing).toEqual([]);
  });

  test('sees a switch thrown with kubectl, and an archived flag go', async () => {
    const apply = (spec: object) => instance.apply(aFlag(`${instance.home}/${WATCHED}`, spec));
    await untilWatched('true');
    await apply({ environments: { production: { ...on, enabled: false } } });
    await untilWatched('false');
    await apply({ archived: true, environments: { production: { ...on, enabled: false } } });
    await untilWatched('true');
  });

  test('reports what it has evaluated', async () => {
    const series = 'vexil_sdk_evaluations_total{environment="production",result="yes"}';
    const before = await readMetric(instance.opsUrl, series);
    await waitUntil(
      { what: 'more evaluations are counted' },
      async () => (await readMetric(instance.opsUrl, series)) > before,
    );
  });

  test('each evaluation is stored once, for the application', async () => {
    const stored = openStoredUsage(file.url);
    const { metadata } = await instance.flag(`${instance.home}/${HEALTHY}`);
    const rows = async () => {
      const all = await stored.countsOf(metadata.uid, { grain: 'day', since: 0 });
      return all.filter(({ appName }) => appName.startsWith('test-') && !counted.has(appName));
    };
    // For each user it was asked whether the flag is on, and for the variant.
    await waitUntil({ what: 'all is stored' }, async () => (await rows())[0]?.yes === 2 * oddUsers.length);
    const [row] = await rows();
    expect(row).toMatchObject({ environment: 'production', no: 0, variants: { disabled: oddUsers.length } });
    counted.add(row?.appName ?? '');
    await stored.close();
  });
});
