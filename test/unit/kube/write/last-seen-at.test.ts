/** When the last use of flags is written into their statuses. */
import { expect, test } from 'vitest';
import { createLastSeenAt } from '../../../../src/kube/write/last-seen-at.ts';
import { keyOf, type Ref } from '../../../../src/model/object.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { captureLog } from '../../../support/capture-log.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import { flagObject } from '../../domain/objects.ts';

/** Flags with their statuses in memory, and the writes of them. */
function world(names: readonly string[], seenAt: string) {
  const clock = fakeClock();
  const flags = new Map(names.map((name) => [`home/${name}`, flagObject(`home/${name}`)]));
  const state = { seenAt, leads: true, refuses: false };
  const writes: { key: string; at: number; lastSeenAt: string | undefined }[] = [];
  const write = createLastSeenAt<FeatureFlag['spec'], NonNullable<FeatureFlag['status']>>({
    flags: {
      all: () => [...flags.values()],
      get: (ref: Ref) => flags.get(keyOf(ref)),
      async patchStatus(flag, members) {
        if (state.refuses) throw new Error('refused');
        const key = keyOf(flag.metadata);
        writes.push({ key, at: clock.now(), lastSeenAt: members.lastSeenAt });
        flags.set(key, { ...flag, status: { ...flag.status, ...members } });
      },
    },
    lastSeen: () => (state.seenAt === '' ? 0 : Date.parse(state.seenAt)),
    isCurrent: () => state.leads,
    clock,
    logger: createLogger({ level: 'debug', destination: captureLog([]) }),
  });
  const ending = new AbortController();
  const round = async () => {
    const written = write(ending.signal);
    await clock.advance(10_000);
    await written;
    return writes.splice(0);
  };
  return { state, clock, write, writes, round, ending };
}

test('the first use is written at once, then one use of each day (UTC)', async () => {
  const { state, round } = world(['a'], '');
  expect(await round()).toEqual([]);
  state.seenAt = '2026-05-10T00:00:01.5Z';
  expect(await round()).toMatchObject([{ key: 'home/a', lastSeenAt: '2026-05-10T00:00:01Z' }]);
  state.seenAt = '2026-05-10T23:59:59.999Z';
  expect(await round()).toEqual([]);
  state.seenAt = '2026-05-11T00:00:00Z';
  expect(await round()).toMatchObject([{ lastSeenAt: '2026-05-11T00:00:00Z' }]);
  // A clock that is set back does not make the time earlier.
  state.seenAt = '2026-05-09T12:00:00Z';
  expect(await round()).toEqual([]);
});

test('five statuses are written each second', async () => {
  const names = Array.from({ length: 12 }, (_, number) => `f${number}`);
  const { round } = world(names, '2026-05-10T00:00:00Z');
  const writes = await round();
  expect(writes.map(({ at }) => at)).toEqual(names.map((_, number) => number * 200));
});

test('a replica that does not lead any more writes nothing', async () => {
  const { state, clock, write, writes, ending } = world(['a', 'b', 'c'], '2026-05-10T00:00:00Z');
  const written = write(ending.signal);
  await clock.advance(200);
  expect(writes).toHaveLength(2);
  state.leads = false;
  await clock.advance(10_000);
  await written;
  expect(writes).toHaveLength(2);
});

test('a status that cannot be written is written the next time', async () => {
  const { state, round } = world(['a', 'b'], '2026-05-10T00:00:00Z');
  state.refuses = true;
  expect(await round()).toEqual([]);
  state.refuses = false;
  expect(await round()).toHaveLength(2);
});
