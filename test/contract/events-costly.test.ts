/** GET /search/events about a flag of the largest size that an object may have. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COSTLY } from '../support/archive/long-texts.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';

const CHANGES = 4;

let instance: RecordingInstance;

beforeAll(async () => {
  instance = await startRecordingInstance('costly');
  // The history does not record what exists when it begins.
  await instance.call('POST /projects/shop/features', { body: { name: 'early' } });
  let changes = 0;
  await waitUntil({ what: 'changes are recorded', everyMs: 200 }, async () => {
    changes += 1;
    const body = { description: `change ${changes}` };
    await instance.call('PUT /projects/shop/features/early', { body });
    return (await instance.call('GET /search/events?feature=IS:early')).body.total > 0;
  });
});
afterAll(() => instance.stop());

function inArchive<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(instance.archiveFile, { timeout: 10_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

test('a change of a flag of a megabyte is recorded briefly, and the differences are found', async () => {
  const flags = flagsDirectly(instance.cluster.kubeconfig, instance.home);
  const value = 'a'.repeat(65_536);
  const variants = (change: number) =>
    Array.from({ length: 16 }, (_, index) => ({
      name: `v${String(index).padStart(2, '0')}`,
      payload: { type: 'string', value: index === 7 ? `change-${change}` : value },
    }));
  for (let change = 0; change <= CHANGES; change += 1) {
    await flags.apply('FeatureFlag', 'large', { project: 'shop', variants: variants(change) });
  }
  flags.close();
  const search = (query: string) => instance.call(`GET /search/events?feature=IS:large&${query}`);
  const { body } = await waitUntil({ what: 'every change is recorded' }, async () => {
    const answer = await search('');
    return answer.body.total === CHANGES + 1 && answer;
  });
  expect(body.events[0].data).toEqual({
    abridged: {
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: expect.any(Number),
      differences: { '/variants/7/payload/value': `change-${CHANGES}` },
    },
  });
  expect(body.events[0].preData.abridged.differences).toEqual({ '/variants/7/payload/value': `change-${CHANGES - 1}` });
  expect(body.events.at(-1)).toMatchObject({ type: 'feature-created', data: { name: 'large', stale: false } });

  expect((await search('query=CHANGE-2')).body.total).toBe(2);
  expect(await search(`query=${COSTLY}`)).toMatchObject({ status: 200, body: { total: 0 } });
  const lines = (await instance.call('GET /search/events/export?feature=IS:large')).text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(body.events.toReversed());
  const kept = inArchive((database) =>
    database
      .prepare("select sum(length(data) + coalesce(length(pre_data), 0)) as sum from entries where object = 'large'")
      .get(),
  );
  expect(kept?.['sum']).toBeLessThan(10_000);
});
