/**
 * The API server refuses to resume the watches of an operator that was not running: every change that etcd still has is
 * recorded.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Entry } from '../../src/domain/history/entry.ts';
import { isAtMost } from '../../src/model/version.ts';
import { complaintsAboutTimes } from '../support/audit/check-times.ts';
import { writeMixed } from '../support/audit/mixed-writers.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { untilAdmitted } from '../support/control-plane/until-admitted.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { on } from '../support/fault-proxy/report.ts';
import { holdLease } from '../support/held-lease.ts';

const CHANGES = 60;
let plane: ControlPlane;
let stage: AuditStage;
let round = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
});
beforeEach(async () => {
  round += 1;
  const home = `away-${round}`;
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  stage = await setAuditStage(plane, home);
});
afterEach(({ task }) => stage.clear(task.name));
afterAll(() => plane?.stop());

/** An API server that starts afterwards has no watch events from before. */
async function restartApiServer(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
  await plane.stopApiServer();
  await meanwhile();
  await plane.startApiServer();
  await untilAdmitted(stage.writer, stage.home);
}

const seriesOf = (metric: string) => `${metric}{scope="featureflags/${stage.home}"}`;

test('every change is recorded once, in order, with its author, address and time', { timeout: 120_000 }, async () => {
  await holdLease(plane, stage.home);
  const api = await stage.loseRecorder();

  const { home: namespace, writer: transport } = stage;
  const call = () => api.call;
  await writeMixed({ namespace, flags: FLAGS, transport, call, seed: 1, changes: CHANGES, onChange: () => undefined });
  await stage.remove('elder');
  await stage.create('elder', { description: 'another one' });
  const seen = await stage.stopSeeing();
  await restartApiServer();

  const second = await stage.start(stage.direct);
  const recorded = await stage.untilAllIsRecorded();
  const newest = seen.at(-1)?.object.metadata.resourceVersion;
  expect(newest).toMatch(/^\d+$/);
  // A live bookmark would move the cursors after a minute.
  await waitUntil({ what: 'kinds without changes are read up to there too', timeoutMs: 20_000 }, async () =>
    (await stage.cursors()).every(({ version }) => !isAtMost(version, newest)),
  );
  expect(recorded.length).toBeGreaterThan(CHANGES);
  expect(recorded.filter(({ coalesced }) => coalesced)).toEqual([]);
  expect(complaintsAboutTimes(recorded, seen)).toEqual([]);
  const deletions = Map.groupBy(
    recorded.filter(({ type }) => type === 'feature-deleted'),
    ({ createdBy }) => createdBy,
  );
  expect([...deletions.keys()].toSorted()).toEqual(['bootstrap-token', 'unknown']);
  expect(deletions.get('bootstrap-token')?.every(({ ip }) => ip === '127.0.0.1')).toBe(true);
  await stage.untilAllIsPublished(recorded);
  expect(await second.metric(seriesOf('vexil_audit_replays_total'))).toBeGreaterThan(0);
  expect(await second.metric(seriesOf('vexil_audit_gaps_total'))).toBe(0);
  await second.stop();
});

const shortly = (entry: Entry) => ({
  type: entry.type,
  coalesced: entry.coalesced,
  by: stage.authorOf(entry),
  is: entry.data?.['description'] ?? null,
  was: entry.preData?.['description'] ?? null,
});

test('several changes that etcd has compacted are one entry that says so, and later ones are recorded one by one', {
  timeout: 120_000,
}, async () => {
  const first = await stage.startRecording();
  await stage.create('fig', { description: 'seen' });
  await stage.untilAllIsRecorded();
  await first.stop();
  const killedAt = Date.now();

  await stage.patch('birch', { description: 'once' });
  for (const turn of ['first', 'second', 'third']) await stage.patch('cedar', { description: turn });
  await stage.remove('delta');
  await stage.remove('elder');
  await stage.create('elder', { description: 'another one' });
  await stage.create('ginkgo', { description: 'new' });
  await stage.create('hazel', { description: 'new' });
  await stage.patch('hazel', { description: 'and changed' });
  await stage.create('ivy', { description: 'came and went' });
  await stage.remove('ivy');
  await stage.stopSeeing();
  await restartApiServer(() => plane.compact());
  for (const turn of ['fourth', 'fifth']) await stage.patch('cedar', { description: turn });
  await restartApiServer();

  const second = await stage.start();
  const untilRecorded = (description: string) =>
    waitUntil({ what: `"${description}" is recorded` }, async () => {
      const entries = await stage.entries();
      return entries.some(({ data }) => data?.['description'] === description) && entries;
    });
  await untilRecorded('fifth');
  await stage.patch('cedar', { description: 'after' });
  const recorded = await untilRecorded('after');
  const of = (flag: string) => recorded.filter(({ featureName }) => featureName === flag).map(shortly);
  const strategy = { type: 'feature-strategy-add', is: null, was: null, by: 'alice' };
  const created = { type: 'feature-created', was: null, by: 'alice' };
  const updated = { type: 'feature-metadata-updated', by: 'alice' };
  const gone = { type: 'feature-deleted', coalesced: true, by: 'unknown', is: null, was: '' };
  expect(of('apple')).toEqual([]);
  expect(of('birch')).toEqual([{ ...updated, coalesced: false, is: 'once', was: '' }]);
  expect(of('cedar')).toEqual([
    { ...updated, coalesced: true, is: 'third', was: '' },
    { ...updated, coalesced: false, is: 'fourth', was: 'third' },
    { ...updated, coalesced: false, is: 'fifth', was: 'fourth' },
    { ...updated, coalesced: false, is: 'after', was: 'fifth' },
  ]);
  expect(of('delta')).toEqual([gone]);
  expect(of('elder')).toEqual([
    gone,
    { ...created, coalesced: false, is: 'another one' },
    { ...strategy, coalesced: false },
  ]);
  expect(of('fig').slice(2)).toEqual([]);
  expect(of('ginkgo')).toEqual([
    { ...created, coalesced: false, is: 'new' },
    { ...strategy, coalesced: false },
  ]);
  expect(of('hazel')).toEqual([
    { ...created, coalesced: true, is: 'and changed' },
    { ...strategy, coalesced: true },
  ]);
  expect(of('ivy')).toEqual([]);

  const several = recorded.filter(({ coalesced }) => coalesced);
  for (const { earliestAt, createdAt } of several) {
    expect(earliestAt).toBeLessThanOrEqual(killedAt);
    expect(createdAt).toBeGreaterThanOrEqual(earliestAt ?? Number.POSITIVE_INFINITY);
  }
  const { events } = (await second.call('GET /search/events?feature=IS:cedar&limit=10')).body;
  expect(events.map((one: Entry) => [one.coalesced, typeof one.earliestAt])).toEqual([
    [undefined, 'undefined'],
    [undefined, 'undefined'],
    [undefined, 'undefined'],
    [true, 'string'],
  ]);
  expect(events.at(-1).summary).toContain('several changes at once, between ');
  const published = await stage.untilAllIsPublished(recorded);
  const notes = published.filter(({ regarding }) => regarding.name === 'cedar').map(({ note }) => note);
  expect(notes.filter((note) => note.includes('several changes at once'))).toHaveLength(1);
  expect(await second.metric(seriesOf('vexil_audit_gaps_total'))).toBe(1);
  expect(second.lines.some((line) => line.includes('changes were compacted in etcd before they were recorded'))).toBe(
    true,
  );
  expect(stage.proxy.reached.some(on('featureflags', 'watch-list'))).toBe(true);
  await second.stop();
});
