/**
 * SDKs of several languages, unmodified, against one operator and an edge in front of it: they follow changes, and
 * agree with Vexil about odd flags.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { compareOddAnswers, type Language, type OddComparison } from '../support/odd-differences.ts';
import { createOddWorld, HEALTHY } from '../support/odd-world.ts';
import { readMetric } from '../support/read-metric.ts';
import { type RunningEdge, startEdge } from '../support/running-edge.ts';
import { type SdkProgram, sdkPrograms, startSdkProgram } from '../support/sdk-programs.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { openStoredUsage, usageFile } from '../support/stored-usage.ts';

const WATCHED = 'watched';
const on = { enabled: true, strategies: { all: { name: 'default' } } };

/** The applications whose numbers were compared. */
const counted = new Set<string>();

let instance: Instance;
let token: string;
let file: Awaited<ReturnType<typeof usageFile>>;
let world: OddComparison;
let edge: RunningEdge;

beforeAll(async () => {
  file = await usageFile();
  instance = await startInstance('sdks', { settings: { VEXIL_AUTH: 'token', ...file.settings } });
  token = await tokenValue(instance, 'backend');
  world = await createOddWorld(instance, token);
  edge = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: token, METRICS_INTERVAL_SECONDS: '1' });
});
afterAll(async () => {
  await edge.stop();
  await instance.stop();
  await file.remove();
});

/** Each program at the operator, and at an edge in front of it. */
const places = Object.entries(sdkPrograms).flatMap(([name, make]) =>
  (['operator', 'edge'] as const).map((where) => [name, where, make] as const),
);

describe.each(places)('%s at the %s', (name, where, make) => {
  let program: SdkProgram;
  beforeAll(async () => {
    await instance.apply(aFlag(`${instance.home}/${WATCHED}`, { archived: false, environments: { production: on } }));
    const { flags, users } = world;
    program = await startSdkProgram(make, {
      url: where === 'edge' ? edge.url : instance.url,
      token,
      flags,
      users,
      watched: WATCHED,
    });
  });
  afterAll(() => program.stop());

  const untilWatched = (wanted: string) =>
    waitUntil({ what: `the flag is ${wanted}`, everyMs: 20 }, async () => program.watched.at(-1) === wanted);

  test('agrees with Vexil about every flag and user, except the known differences', async () => {
    const language = name.split(' ')[0] as Language;
    expect(compareOddAnswers(world, language, await program.answers)).toEqual({ unexplained: [], unneeded: [] });
  });

  test('receives a switch that kubectl changes, and the archiving of a flag', async () => {
    const apply = (spec: object) => instance.apply(aFlag(`${instance.home}/${WATCHED}`, spec));
    await untilWatched('true');
    await apply({ environments: { production: { ...on, enabled: false } } });
    await untilWatched('false');
    await apply({ archived: true, environments: { production: { ...on, enabled: false } } });
    await untilWatched('true');
  });

  test('reports its evaluations', async () => {
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
    // The program asks for each user whether the flag is on, and for the variant.
    await waitUntil({ what: 'all is stored' }, async () => (await rows())[0]?.yes === 2 * world.users.length);
    const [row] = await rows();
    expect(row).toMatchObject({ environment: 'production', no: 0, variants: { disabled: world.users.length } });
    counted.add(row?.appName ?? '');
    await stored.close();
  });
});
