/** `vexil check`: checks an installation, and says what mends it. */
import { isClusterError } from '../../src/errors.ts';
import { asFailure, withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { EXIT, jsonText, printableLine, type Terminal } from '../terminal.ts';
import type { Check, CheckParts, CheckResult, CheckVerdict, Installation } from './check.ts';
import { checkAdmission, checkWebhooks } from './check-admission.ts';
import { checkDefinitions } from './check-definitions.ts';
import { checkObjects } from './check-objects.ts';
import { checkClock, checkPods, checkSecrets, checkStorage, checkVersions } from './check-operator.ts';
import { checkPermissions } from './check-permissions.ts';
import { findInstallation } from './find-installation.ts';
import { checkedCluster } from './read-cluster.ts';

export interface CheckOptions extends ClusterOptions, OutputOptions {}

const CHECKS: Readonly<Record<string, Check>> = {
  versions: checkVersions,
  definitions: checkDefinitions,
  permissions: checkPermissions,
  policies: checkAdmission,
  webhooks: checkWebhooks,
  secrets: checkSecrets,
  storage: checkStorage,
  pods: checkPods,
  clock: checkClock,
  objects: checkObjects,
};

interface NamedResult extends CheckResult {
  readonly check: string;
}

export async function runCheck(options: CheckOptions, terminal: Terminal): Promise<void> {
  const results = await withCluster(options, terminal, async ({ transport, namespace, place }) => {
    let found: Installation | undefined;
    const user = () => `system:serviceaccount:${found?.namespace}:${found?.account}`;
    const cluster = checkedCluster({ transport, place }, user);
    found = await findInstallation(cluster, options.namespace, namespace);
    if (found === undefined) return [notInstalled(options.namespace)];
    const parts = { cluster, installation: found, version: terminal.version };
    const all: NamedResult[] = [];
    for (const [name, check] of Object.entries(CHECKS)) {
      for (const result of await resultsOf(check, parts, place)) all.push({ check: name, ...result });
    }
    return all;
  });
  terminal.write(options.output === 'json' ? jsonOf(results) : textOf(results));
  terminal.exit(statusOf(results));
}

/** What the caller may not read is unknown, and the other checks go on. */
async function resultsOf(check: Check, parts: CheckParts, place: string): Promise<readonly CheckResult[]> {
  try {
    return await check(parts);
  } catch (error) {
    if (!isClusterError(error) || error.answer?.missing === undefined) throw error;
    return [{ verdict: 'unknown', message: asFailure(error, place).message, mend: 'check as a cluster administrator' }];
  }
}

function notInstalled(namespace: string | undefined): NamedResult {
  const where = namespace === undefined ? 'in this cluster' : `in the namespace ${namespace}`;
  const mend = 'helm install vexil charts/vexil --namespace vexil-system --create-namespace --wait';
  return { check: 'installation', verdict: 'error', message: `there is no operator of Vexil ${where}`, mend };
}

/** The worst first. */
const SEVERITY: readonly CheckVerdict[] = ['error', 'unknown', 'warning', 'ok'];

function worstOf(results: readonly NamedResult[]): CheckVerdict {
  return SEVERITY.find((verdict) => results.some((result) => result.verdict === verdict)) ?? 'ok';
}

function statusOf(results: readonly NamedResult[]): number {
  const worst = worstOf(results);
  if (worst === 'error') return EXIT.findings;
  return worst === 'unknown' ? EXIT.noPermission : EXIT.ok;
}

function jsonOf(results: readonly NamedResult[]): string {
  return jsonText({ verdict: worstOf(results), checks: results });
}

function textOf(results: readonly NamedResult[]): string {
  const width = Math.max(...results.map(({ check }) => check.length));
  const lines = results.flatMap(({ check, verdict, message, mend }) => [
    `${verdict.padEnd(7)}  ${check.padEnd(width)}  ${printableLine(message)}`,
    ...(mend === undefined ? [] : [`${' '.repeat(width + 11)}${printableLine(mend)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
