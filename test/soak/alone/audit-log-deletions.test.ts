/** Many deletions with kubectl: each has its author, and the log costs little time of the processor. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import type { Entry } from '../../../src/domain/history/entry.ts';
import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { connect } from '../../../src/kube/api/transport.ts';
import { type Account, createAccount } from '../../support/account.ts';
import { untilBaseline } from '../../support/audit/until-baseline.ts';
import { type AuditedPlane, startAuditedPlane } from '../../support/audit-log/plane.ts';
import { aFlag, anEnvironment, aProject } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { slownessOfProcessor } from '../../support/cpu-time.ts';
import { createAsKubectl } from '../../support/create-as-kubectl.ts';
import { grantOperatorRoles } from '../../support/operator-roles.ts';
import { startReplica } from '../../support/replica.ts';

const DELETIONS = Number(process.env['SOAK_DELETIONS'] ?? 1000);
/** On a quiet processor of the kind that the limits of the tests were set for. */
const MAX_CPU_MS_PER_CHANGE = 0.5;

let audited: AuditedPlane;

beforeAll(async () => {
  audited = await startAuditedPlane();
}, 180_000);
afterAll(() => audited?.stop());

interface Outcome {
  readonly deletions: readonly Entry[];
  readonly alice: Account;
  /** Of the operator on a quiet processor, from the first change until everything is recorded and attributed. */
  readonly cpuMs: number;
}

/** Creates flags and deletes them with kubectl, while an operator with these settings records. */
async function comeAndGo(home: string, settings: Readonly<Record<string, string>>): Promise<Outcome> {
  const { plane } = audited;
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  const kubeconfig = await grantOperatorRoles(plane, home, []);
  const alice = await createAccount(plane, { namespace: home, name: 'alice', rules: { [home]: [[['*'], ['*']]] } });
  await plane.apply([anEnvironment(`${home}/production`), aProject(`${home}/shop`)]);
  const url = `sqlite:${kubeconfig}.db`;
  const own = { VEXIL_LEADER_ELECTION: 'false', VEXIL_AUDIT_URL: url };
  const operator = await startReplica({ kubeconfig, home, settings: { ...own, ...settings } });
  const writer = connect(loadKubeConfig(alice.kubeconfig));
  const archive = openArchive(url, { notice: () => undefined });
  try {
    await waitUntil({ what: 'it is ready', timeoutMs: 60_000 }, operator.isReady);
    await untilBaseline(url);
    const slowBefore = slownessOfProcessor();
    const cpuBefore = await operator.metric('process_cpu_seconds_total');
    const names = Array.from({ length: DELETIONS }, (_, index) => `flag-${index}`);
    await createAsKubectl(
      writer,
      names.map((name) => aFlag(`${home}/${name}`)),
    );
    await plane.kubectlOrThrow(['delete', 'ff', '--all', '--wait=false', '-n', home], { kubeconfig: alice.kubeconfig });
    const deletions = await waitUntil({ what: 'all is recorded', timeoutMs: 180_000, everyMs: 2_000 }, async () => {
      const { entries } = await archive.search({ types: ['feature-deleted'] }, { offset: 0, limit: DELETIONS });
      const isNamed = ({ createdBy }: Entry) => !('VEXIL_AUDIT_LOG_PORT' in settings) || createdBy !== 'unknown';
      return entries.length === DELETIONS && entries.every(isNamed) && entries;
    });
    await waitUntil({ what: 'all Events are published', timeoutMs: 180_000, everyMs: 1_000 }, async () => {
      return (await archive.backlog()).count === 0;
    });
    const cpuMs = 1000 * ((await operator.metric('process_cpu_seconds_total')) - cpuBefore);
    return { deletions, alice, cpuMs: (2 * cpuMs) / (slowBefore + slownessOfProcessor()) };
  } finally {
    writer.close();
    await archive.close();
    await operator.stop();
  }
}

test(`${DELETIONS} deletions with kubectl have ${DELETIONS} authors`, async () => {
  const without = await comeAndGo('without', {});
  expect(new Set(without.deletions.map(({ createdBy }) => createdBy))).toEqual(new Set(['unknown']));
  const { deletions, alice, cpuMs } = await comeAndGo('with', audited.receiving);
  const facts = { createdBy: alice.username, ip: '127.0.0.1', fieldManager: 'kubectl', channel: 'kubernetes' };
  for (const entry of deletions) expect(entry).toMatchObject({ ...facts, witness: { confirms: true } });
  const perChange = (cpuMs - without.cpuMs) / (2 * DELETIONS);
  process.stdout.write(
    `${deletions.length} deletions with their author; processor time for ${2 * DELETIONS} changes: ` +
      `${Math.round(without.cpuMs)} ms without the log, ${Math.round(cpuMs)} ms with it, ` +
      `${perChange.toFixed(3)} ms more for each change\n`,
  );
  expect(perChange).toBeLessThanOrEqual(MAX_CPU_MS_PER_CHANGE);
}, 900_000);
