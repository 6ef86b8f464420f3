/** Flags with each rule and with odd values through the Node SDK, unmodified, compared with Vexil's own evaluator. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/instance.ts';
import { compareOddAnswers, type OddComparison } from '../support/odd-differences.ts';
import { answersOf, createOddWorld, HEALTHY } from '../support/odd-world.ts';
import { OVERRIDE, ruleFlags } from '../support/rule-flags.ts';
import { type RunningEdge, startEdge } from '../support/running-edge.ts';
import { endSdk, nextEvent, startSdk, tokenValue } from '../support/sdk-world.ts';

const RESULTS = { all: ['true'], some: ['false', 'true'], no: ['false'] };

let instance: Instance;
let token: string;
let world: OddComparison;
let edge: RunningEdge;

beforeAll(async () => {
  instance = await startInstance('odd-flags', { settings: { VEXIL_AUTH: 'token' } });
  token = await tokenValue(instance, 'backend');
  world = await createOddWorld(instance, token);
  edge = await startEdge({ UPSTREAM_URL: instance.url, TOKENS: token });
});
afterAll(async () => {
  await edge.stop();
  await instance.stop();
});

test('the edge has every flag and segment as the operator has them', async () => {
  const documentAt = async (url: string) => {
    const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
    return (await fetch(`${url}/api/client/features`, { headers })).json();
  };
  const [here, there] = await Promise.all([documentAt(edge.url), documentAt(instance.url)]);
  expect(here).toEqual(there);
});

test.each(['operator', 'edge'])(
  'Node at the %s agrees with Vexil about every flag and user, except the known differences',
  async (where) => {
    const sdk = startSdk(where === 'edge' ? edge.url : instance.url, { token });
    await nextEvent(sdk, 'synchronized');
    const answers = answersOf(
      world.flags,
      (flag, user) => `${sdk.isEnabled(flag, { ...user })} ${sdk.getVariant(flag, { ...user }).name}`,
    );
    endSdk(sdk);
    expect(compareOddAnswers(world, 'Node', answers)).toEqual({ unexplained: [], unneeded: [] });
  },
);

const answersAbout = (flag: string) => world.expected[world.flags.indexOf(flag)] ?? [];

test('the healthy flag is on for everyone, and odd flags have several variants', () => {
  expect(new Set(answersAbout(HEALTHY))).toEqual(new Set(['true disabled']));
  expect(new Set(world.expected.flat()).size).toBeGreaterThan(5);
});

test.each(ruleFlags)('the flag $name is on for $users users', ({ name, users }) => {
  const results = new Set(answersAbout(name).map((one) => one.split(' ')[0]));
  expect([...results].toSorted()).toEqual(RESULTS[users]);
});

test('an override selects the variant of one user, whose id is outside ASCII', () => {
  const named = world.users.filter((_, number) => answersAbout(OVERRIDE)[number] === 'true named');
  expect(named.map(({ userId }) => userId)).toEqual(['ü']);
});
