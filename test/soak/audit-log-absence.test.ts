/**
 * The operator is away while changes are made and etcd forgets all of them: with the file of the audit log, each
 * is recorded once, with its author and its time.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/domain/history/entry.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { complaintsAbout } from '../support/audit/check-entries.ts';
import { complaintsAboutTimes } from '../support/audit/check-times.ts';
import type { SeenVersion } from '../support/audit/every-version.ts';
import { writeMixed } from '../support/audit/mixed-writers.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { type AuditedPlane, startAuditedPlane } from '../support/audit-log/plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { holdLease } from '../support/held-lease.ts';

const CHANGES = Number(process.env['SOAK_CHANGES'] ?? 1_000);
const HOME = 'vexil-system';

let audited: AuditedPlane;
let stage: AuditStage;

beforeAll(async () => {
  // Small files, so that the log is rotated while nobody reads it.
  audited = await startAuditedPlane(['--audit-log-maxsize=1', '--audit-log-maxbackup=50']);
  await audited.plane.kubectlOrThrow(['create', 'namespace', HOME]);
  stage = await setAuditStage(audited.plane, HOME);
  await holdLease(audited.plane, HOME);
}, 180_000);
afterAll(async () => {
  await stage?.clear('audit-log-absence');
  await audited?.stop();
});

let complaints: readonly string[] = [];

/** The log does not say the version of a deletion, and names who made it: a watch of the test does the opposite. */
function asSeen(entries: readonly Entry[], versions: readonly SeenVersion[]): readonly Entry[] {
  const deletions = new Map(
    versions.flatMap(({ type, object }) =>
      type === 'DELETED' ? [[object.metadata.uid, object.metadata] as const] : [],
    ),
  );
  return entries.map((entry) => {
    const deletion = entry.type === 'feature-deleted' ? deletions.get(entry.uid) : undefined;
    if (deletion === undefined) return entry;
    const createdBy = deletion.annotations?.['vexil.dev/deleted-by'] ?? 'unknown';
    return { ...entry, toVersion: deletion.resourceVersion, createdBy };
  });
}

test(`${CHANGES} changes without an operator, and etcd keeps none of them`, async () => {
  const { plane, reading } = audited;
  const api = await stage.loseRecorder();
  const recordedBefore = (await stage.entries()).length;
  const { writer: transport } = stage;
  await writeMixed({
    namespace: HOME,
    flags: FLAGS,
    transport,
    call: () => api.call,
    seed: 1,
    changes: CHANGES,
    onChange: () => undefined,
  });
  const seen = await stage.stopSeeing();
  await plane.stopApiServer();
  await plane.compact();
  await plane.startApiServer();

  const startedAt = systemClock.now();
  const second = await stage.start({ ...stage.direct, ...reading });
  await waitUntil({ what: 'it is ready', timeoutMs: 60_000 }, second.isReady);
  const versions = seen;
  const recorded = await waitUntil({ what: 'all is recorded', timeoutMs: 120_000, everyMs: 500 }, async () => {
    const entries = asSeen(await stage.entries(), versions);
    complaints = complaintsAbout({ entries, versions, recordsAuthors: true });
    return complaints.length === 0 && entries;
  }).catch((error) => {
    expect(complaints.slice(0, 10), `${complaints.length} complaints`).toEqual([]);
    throw error;
  });
  const recordedMs = systemClock.now() - startedAt;
  expect(recorded.filter(({ coalesced }) => coalesced)).toEqual([]);
  expect(complaintsAboutTimes(recorded, seen)).toEqual([]);
  let unconfirmed: readonly Entry[] = [];
  const confirmed = await waitUntil({ what: 'the log has named their authors', timeoutMs: 60_000 }, async () => {
    const entries = (await stage.entries()).slice(recordedBefore);
    unconfirmed = entries.filter(({ witness }) => !witness?.confirms);
    return unconfirmed.length === 0 && entries;
  }).catch((error) => {
    expect(unconfirmed.slice(0, 5), `${unconfirmed.length} are not confirmed`).toEqual([]);
    throw error;
  });
  expect(confirmed.length).toBeGreaterThanOrEqual(CHANGES);
  expect(confirmed.filter(({ createdBy }) => createdBy === 'unknown')).toEqual([]);
  expect(confirmed.filter(({ earliestAt }) => earliestAt !== null)).toEqual([]);
  expect(await second.metric(`vexil_audit_gaps_total{scope="featureflags/${HOME}"}`)).toBe(0);
  process.stdout.write(
    `absence: ${CHANGES} changes, ${recorded.length} entries, ${confirmed.length} of the absence with their authors, ` +
      `recorded after ${recordedMs} ms\n`,
  );
}, 600_000);
