/** The history when a listener throws, in a simulated world. */
import { expect, test } from 'vitest';
import { allPublished, archiveKnowsStore, historyEqualsVersions } from '../../simulation/oracles.ts';
import { HOME } from '../../simulation/replica.ts';
import { untilRecording } from '../../simulation/run.ts';
import { asKubectl, createWorld, prepare } from '../../simulation/world.ts';

test('changes are recorded and published, and the other listeners know of them', async () => {
  const world = createWorld(1);
  const { schedule, server, database, complaints } = world;
  const now = performance.now;
  performance.now = schedule.now;
  try {
    world.faults.heal();
    prepare(world);
    const replica = world.start();
    let calls = 0;
    replica.replica.history.onRecorded(() => {
      throw new Error('mistake');
    });
    replica.replica.history.onRecorded(() => {
      calls += 1;
    });
    await untilRecording(world);
    for (const description of ['1', '2']) {
      const before = calls;
      asKubectl(server, 'PATCH', {
        kind: 'Project',
        metadata: { namespace: HOME, name: 'shop' },
        spec: { description },
      });
      await schedule.runUntil(schedule.now() + 60_000);
      expect(calls).toBeGreaterThan(before);
    }
    const entries = database.entries();
    expect([...historyEqualsVersions(world, entries), ...allPublished(entries), ...archiveKnowsStore(world)]).toEqual(
      [],
    );
    expect(new Set(complaints.map((line) => line.split('\n')[0]))).toEqual(
      new Set(['vexil-0 logged: history: subscriber failed: Error: mistake']),
    );
    replica.stop();
    await schedule.runUntil(schedule.now() + 60_000);
  } finally {
    performance.now = now;
    database.close();
  }
});
