/**
 * The operator is killed and away while changes go on, with the API server as it ships: each is
 * recorded once.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { complaintsAboutTimes } from '../support/audit/check-times.ts';
import { writeMixed } from '../support/audit/mixed-writers.ts';
import { type AuditStage, FLAGS, setAuditStage } from '../support/audit/stage.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { holdLease } from '../support/held-lease.ts';

/** `SOAK_SECONDS=600 SOAK_RATE=10` runs another absence. etcd keeps versions for at least five minutes. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 60);
const RATE = Number(process.env['SOAK_RATE'] ?? 5);
const HOME = 'vexil-system';

let plane: ControlPlane;
let stage: AuditStage;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  stage = await setAuditStage(plane, HOME);
  await holdLease(plane, HOME);
});
afterAll(async () => {
  await stage?.clear('absence');
  await plane?.stop();
});

/** Resolves when the next change may follow the change of this number. */
function pacer(startedAt: number) {
  return (made: number): Promise<void> =>
    new Promise((resolve) => {
      systemClock.after(Math.max(0, startedAt + (made * 1000) / RATE - systemClock.now()), resolve);
    });
}

test(`${RATE} changes a second for ${SECONDS} s without an operator`, async () => {
  const api = await stage.loseRecorder();

  const { writer: transport } = stage;
  const changes = SECONDS * RATE;
  const onChange = pacer(systemClock.now());
  const call = () => api.call;
  await writeMixed({ namespace: HOME, flags: FLAGS, transport, call, seed: 1, changes, onChange });
  const seen = await stage.stopSeeing();

  const startedAt = systemClock.now();
  const second = await stage.start(stage.direct);
  await waitUntil({ what: 'it is ready' }, second.isReady);
  const readyMs = systemClock.now() - startedAt;
  const recorded = await stage.untilAllIsRecorded();
  const recordedMs = systemClock.now() - startedAt;
  expect(recorded.filter(({ coalesced }) => coalesced)).toEqual([]);
  expect(complaintsAboutTimes(recorded, seen)).toEqual([]);
  await stage.untilAllIsPublished(recorded);
  const series = (metric: string) => second.metric(`${metric}{scope="featureflags/${HOME}"}`);
  expect(await series('vexil_audit_gaps_total')).toBe(0);
  const unsure = recorded.filter(({ earliestAt }) => earliestAt !== null).length;
  const [replays, reads] = [
    await series('vexil_audit_replays_total'),
    (await second.metricsPage()).match(/vexil_kube_request_duration_seconds_count\{method="GET",.*/g) ?? [],
  ];
  process.stdout.write(
    `absence of ${SECONDS} s: ${changes} changes, ${recorded.length} entries, ${unsure} with a time within an interval, ` +
      `${replays} replays, ready after ${readyMs} ms, recorded after ${recordedMs} ms\n${reads.join('\n')}\n`,
  );
});
