/**
 * A real Unleash Edge behind Vexil, and the edge behind it: the same flags, and each change. It runs if
 * VEXIL_EDGE_BINARY names the program.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RunningEdge, startEdge } from '../support/running-edge.ts';
import { tokenValue } from '../support/sdk-world.ts';
import { startUnleashEdge, type UnleashEdge } from '../support/unleash-edge.ts';

const binary = process.env['VEXIL_EDGE_BINARY'] ?? '';
const strategies = {
  half: { name: 'flexibleRollout', parameters: { rollout: 50, stickiness: 'userId', groupId: 'half' } },
};

describe.skipIf(binary === '')('Unleash Edge', () => {
  let instance: Instance;
  let token: string;
  let theirs: UnleashEdge;
  let ours: RunningEdge;

  beforeAll(async () => {
    instance = await startInstance('soak-unleash-edge', { settings: { VEXIL_AUTH: 'token' } });
    token = await tokenValue(instance, 'backend');
    await turn(true);
    theirs = await startUnleashEdge({ binary, upstreamUrl: instance.url, tokens: [token] });
    await waitUntil(
      { what: 'Unleash Edge has the flag', timeoutMs: 30_000 },
      async () => (await isOn(theirs.url)) === true,
    );
    ours = await startEdge({ UPSTREAM_URL: theirs.url, TOKENS: token });
  });
  afterAll(async () => {
    await ours?.stop();
    await theirs?.stop();
    await instance?.stop();
  });

  const turn = (enabled: boolean) =>
    instance.apply(aFlag(`${instance.home}/half`, { environments: { production: { enabled, strategies } } }));

  /** Undefined: there is no flag, or no answer. */
  async function isOn(url: string): Promise<boolean | undefined> {
    const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: token } }).catch(
      () => undefined,
    );
    if (!answer?.ok) return undefined;
    const { features } = (await answer.json()) as { features: readonly { name: string; enabled: boolean }[] };
    return features.find(({ name }) => name === 'half')?.enabled;
  }

  test.each([false, true])('a switch to %s arrives at it, and at the edge behind it', async (enabled) => {
    await turn(enabled);
    for (const { url } of [theirs, ours]) {
      await waitUntil({ what: `${url} has the switch`, timeoutMs: 40_000 }, async () => (await isOn(url)) === enabled);
    }
    expect(await isOn(instance.url)).toBe(enabled);
  });
});
