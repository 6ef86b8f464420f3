/** A log that cannot be read, or lacks entries, is a visible state. Recording goes on, and the state ends by itself. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient, type Call } from '../support/admin-client.ts';
import { type AuditedPlane, startAuditedPlane } from '../support/audit-log/plane.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOME = 'vexil-system';

let audited: AuditedPlane;
let folder: string;
let file: string;
let app: RunningApp;
let call: Call;

beforeAll(async () => {
  audited = await startAuditedPlane();
  folder = await mkdtemp(join(tmpdir(), 'vexil-lost-log-'));
  file = join(folder, 'audit.log');
  const { plane } = audited;
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  const KUBECONFIG = await grantOperatorRoles(plane, HOME, []);
  await plane.apply([anEnvironment(`${HOME}/production`), aProject(`${HOME}/shop`)]);
  const log = { VEXIL_AUDIT_LOG_FILE: file, VEXIL_AUDIT_LOG_LATE: '1s' };
  app = await startApp({ KUBECONFIG, VEXIL_NAMESPACE: HOME, ...log });
  await app.ready();
  call = adminClient(app.url);
}, 180_000);
afterAll(async () => {
  await app?.stop();
  await audited?.stop();
  await rm(folder, { recursive: true, force: true });
});

const PATIENCE = { timeoutMs: 60_000, everyMs: 500 };
const isUp = () => readMetric(app.opsUrl, 'vexil_audit_log_up');
const untilSaid = (detail: string) =>
  waitUntil({ what: `the check says ${detail}`, ...PATIENCE }, async () => {
    const answer = await fetch(`${app.opsUrl}/readyz`);
    const text = await answer.text();
    return answer.status === 200 && text.includes(detail);
  });

test('a file that is not there, and entries that the log lacks, are visible', async () => {
  const { plane, logFile } = audited;
  await untilSaid('the file cannot be read: ENOENT');
  expect(await isUp()).toBe(0);

  await plane.apply([aFlag(`${HOME}/first`)]);
  await waitUntil({ what: 'the flag is known', ...PATIENCE }, async () => {
    return (await call('GET /projects/shop/features/first')).status === 200;
  });
  await untilRecording(plane, call, { flag: '/projects/shop/features/first', namespace: HOME });

  await writeFile(file, '');
  await untilSaid('of the entries of the last hour are not in it');
  expect(await isUp()).toBe(0);
  expect(await readMetric(app.opsUrl, 'vexil_audit_log_late_entries')).toBeGreaterThan(0);

  await copyFile(logFile, file);
  await untilSaid('"audit-log":{"ok":true,"detail":"arrives"}');
  expect(await isUp()).toBe(1);
  const { events } = (await call('GET /search/events?feature=IS:first')).body;
  expect(events.length).toBeGreaterThan(0);
  for (const { confirmed } of events) expect(confirmed).toBe(true);
}, 240_000);
