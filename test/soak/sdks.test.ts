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
import { nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';

const COUNT = 300;
/** The CRD rejects some of them. */
const LEAST = 250;
const HEALTHY = 'healthy';
const WATCHED = 'watched';
const on = { enabled: true, strategies: { all: { name: 'default' } } };

let instance: Instance;
let token: string;
let flags: readonly string[];
/** Those with operators that SDKs for Go do not know. */
let later: ReadonlySet<string>;
let expected: readonly (readonly string[])[];

beforeAll(async () => {
  instance = await startInstance('sdks', { settings: { VEXIL_AUTH: 'token' } });
  token = await tokenValue(instance, 'backend');
  await instance.apply(aFlag(`${instance.home}/${HEALTHY}`, { environments: { production: on } }));
  flags = [HEALTHY, ...(await createOddFlags())];
  expect(flags.length).toBeGreaterThan(LEAST);
  expected = await answersOfNode();
});
afterAll(() => instance.stop());

/** The names of those that the API server takes. */
async function createOddFlags(): Promise<readonly string[]> {
  const transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const path = `/apis/vexil.dev/v1alpha1/namespaces/${instance.home}/featureflags`;
  const created: string[] = [];
  const odd = oddFlags(COUNT, 1);
  const segments = Object.values(odd.segments).map((spec, index) => aSegment(`${instance.home}/odd-${index}`, spec));
  await instance.apply(...segments);
  later = new Set(odd.flags.flatMap(({ hasLaterOperator }, index) => (hasLaterOperator ? [`odd-${index}`] : [])));
  for (const [index, { spec }] of odd.flags.entries()) {
    const body = aFlag(`${instance.home}/odd-${index}`, spec);
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
  sdk.destroy();
  return answers;
}

test('the healthy flag is on for everybody, and some odd ones are for some', () => {
  expect(new Set(expected[0])).toEqual(new Set(['true disabled']));
  expect(new Set(expected.flat()).size).toBeGreaterThan(5);
});

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
    const isComparable = (flag: string) => !(name.startsWith('Go ') && later.has(flag));
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
});
