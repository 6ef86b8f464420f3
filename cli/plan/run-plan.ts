/** Reads manifests, compares them with a cluster, and reports. */
import { withCluster } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';
import { readSources } from '../manifests/source.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { type ObjectPlan, planObjects } from './plan-objects.ts';
import { planText } from './plan-text.ts';

export interface RunPlanOptions extends ClusterOptions, OutputOptions {
  readonly filename: readonly string[];
  readonly fieldManager: string;
  readonly forceConflicts: boolean;
  readonly prune: boolean;
}

export async function runPlan(options: RunPlanOptions, terminal: Terminal): Promise<void> {
  const { fieldManager, forceConflicts: force, prune, output } = options;
  const sources = await readSources(options.filename, terminal.standardInput);
  const parsed = sources.map(parseManifests);
  const [unreadable] = parsed.flatMap((one) => one.unreadable);
  if (unreadable) {
    const { file, line, column } = unreadable.place;
    throw new Failure(`${file}:${line}:${column}: ${unreadable.message}`, EXIT.findings);
  }
  const manifests = parsed.flatMap((one) => one.manifests);
  const plans = await withCluster(options, terminal, (cluster) =>
    planObjects(manifests, cluster, { fieldManager, force, prune }),
  );
  const status = statusOf(plans);
  const passedOver = parsed.reduce((sum, one) => sum + one.passedOver, 0);
  const plan = { plans, passedOver };
  terminal.write(output === 'json' ? `${JSON.stringify(plan, null, 2)}\n` : planText(plan, terminal.isColoured));
  terminal.exit(status);
}

function statusOf(plans: readonly ObjectPlan[]): number {
  const has = (...actions: readonly ObjectPlan['action'][]) => plans.some(({ action }) => actions.includes(action));
  if (has('conflict', 'rejected')) return EXIT.findings;
  return has('create', 'change', 'delete') ? EXIT.changes : EXIT.ok;
}
