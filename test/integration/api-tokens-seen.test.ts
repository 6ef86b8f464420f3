/** When a token was last used: written seldom, by any replica, and kept when another write changes the status. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeenAt } from '../../src/kube/write/seen-at.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { captureLog } from '../support/capture-log.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { startTokenReplica, type TokenReplica } from '../support/token-replica.ts';
import { digestOf, type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const HOUR_MS = 3_600_000;

let instance: Instance;
let tokens: TokensDirectly;
let replicas: readonly [TokenReplica, TokenReplica];
const log: Readonly<Record<string, unknown>>[] = [];
const logger = createLogger({ level: 'debug', destination: captureLog(log) });
const end = new AbortController();

beforeAll(async () => {
  instance = await startInstance('tokens-seen');
  const { home, kubeconfig } = instance;
  tokens = tokensDirectly(instance.cluster.kubeconfig, home);
  replicas = [await startTokenReplica({ kubeconfig, home }), await startTokenReplica({ kubeconfig, home })];
});

afterAll(async () => {
  end.abort();
  await tokens.expectNoValueRecorded(JSON.stringify(log), JSON.stringify(instance.log));
  await Promise.all(replicas.map((replica) => replica.stop()));
  tokens.close();
  await instance.stop();
});

const NOW = Date.parse('2026-05-01T12:00:00.500Z');

async function aReadyToken(name: string) {
  await tokens.create(name);
  const digest = digestOf(await tokens.untilReady(name));
  const presentIn = (replica: TokenReplica) =>
    waitUntil({ what: `${name} is known` }, () => replica.tokenByHash(digest));
  /** Waits for the version that the API server has: a mark on an older version would be dropped. */
  const currentIn = (replica: TokenReplica) =>
    waitUntil({ what: `${name} is known as it is` }, async () => {
      const { metadata } = await tokens.token(name);
      const present = replica.tokenByHash(digest);
      return present?.metadata.resourceVersion === metadata.resourceVersion && present;
    });
  return { presentIn, currentIn, seenAt: async () => (await tokens.token(name)).status.seenAt };
}

function marking({ resource }: TokenReplica, now: () => number) {
  return createSeenAt({ kind: resource, now, logger, signal: end.signal });
}

test('is recorded in the status, and kept when the operator judges the token again', async () => {
  const { presentIn, currentIn, seenAt } = await aReadyToken('kept');
  marking(replicas[0], () => NOW)(await presentIn(replicas[0]));
  await waitUntil({ what: 'it is noted' }, async () => (await seenAt()) === '2026-05-01T12:00:00Z');
  const before = await tokens.token('kept');
  await tokens.nudge('kept');
  const after = await tokens.untilRecorded('kept');
  expect(after.status.observedGeneration).toBe(before.status.observedGeneration + 1);
  expect(after.status.seenAt).toBe('2026-05-01T12:00:00Z');
  expect(after.status.sha256).toBe(before.status.sha256);
  // The mark is also written after the operator itself has written the status.
  marking(replicas[0], () => NOW + HOUR_MS)(await currentIn(replicas[0]));
  await waitUntil({ what: 'it is noted again' }, async () => (await seenAt()) === '2026-05-01T13:00:00Z');
  await tokens.patch('kept', { expiresAt: '2020-01-01T00:00:00Z' });
  const expired = await tokens.untilRecorded('kept', 'Error Expired spec.expiresAt');
  expect(expired.status.seenAt).toBe('2026-05-01T13:00:00Z');
});

test('is written once an hour, however often and wherever the token is used', async () => {
  const { presentIn, seenAt } = await aReadyToken('rarely');
  let now = NOW;
  const [here, there] = replicas.map((replica) => marking(replica, () => now));
  const versionOf = async () => (await tokens.token('rarely')).metadata.resourceVersion;
  const present = await presentIn(replicas[0]);
  for (let use = 0; use < 50; use += 1) here?.(present);
  await waitUntil({ what: 'it is noted' }, async () => (await seenAt()) === '2026-05-01T12:00:00Z');
  const version = await versionOf();
  now += HOUR_MS - 1000;
  here?.(await presentIn(replicas[0]));
  await waitUntil({ what: 'the other replica has received it' }, async () => {
    return (await presentIn(replicas[1])).metadata.resourceVersion === version;
  });
  there?.(await presentIn(replicas[1]));
  here?.(present);
  // A later write of another token shows that none of those writes is still under way.
  const other = await aReadyToken('rarely-2');
  here?.(await other.presentIn(replicas[0]));
  await waitUntil({ what: 'the other token is noted' }, async () => (await other.seenAt()) !== undefined);
  expect(await versionOf()).toBe(version);
  now += 1000;
  here?.(await presentIn(replicas[0]));
  await waitUntil({ what: 'it is noted anew' }, async () => (await seenAt()) === '2026-05-01T13:00:00Z');
});

test('is dropped after a concurrent write of the token, with only a line at debug', async () => {
  const { presentIn, currentIn, seenAt } = await aReadyToken('overtaken');
  const outdated = await presentIn(replicas[0]);
  await tokens.nudge('overtaken');
  await tokens.untilRecorded('overtaken');
  let now = NOW;
  const mark = marking(replicas[0], () => now);
  mark(outdated);
  const line = await waitUntil({ what: 'a log line reports it' }, () =>
    log.find(
      ({ msg, object }) => /cannot update status\.seenAt/.test(String(msg)) && String(object).endsWith('/overtaken'),
    ),
  );
  expect(line).toMatchObject({ level: 'debug', error: { code: 'conflict' } });
  expect(await seenAt()).toBeUndefined();
  now += 60_000;
  mark(await currentIn(replicas[0]));
  await waitUntil({ what: 'it is noted a minute later' }, async () => (await seenAt()) === '2026-05-01T12:01:00Z');
});
