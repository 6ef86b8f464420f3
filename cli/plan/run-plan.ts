/** Reads manifests, compares them with a cluster, and reports. */
import { presentFrozen } from '../../src/wire/admin/project/freeze.ts';
import { withCluster } from '../connection/cluster.ts';
import { environmentsInCluster } from '../connection/environments.ts';
import type { ClusterOptions } from '../connection/options.ts';
import { writeReportFile } from '../files/manifest-file.ts';
import { parseManifests } from '../manifests/parse-manifests.ts';
import { readSources, refuseNothing } from '../manifests/source.ts';
import { workflowCommand } from '../report/github.ts';
import { EXIT, jsonText, type Terminal } from '../terminal.ts';
import { type FlagWrite, freezesAgainst } from './flag-write.ts';
import { objectOf, obstaclesOf } from './obstacles.ts';
import { planMarkdown } from './plan-markdown.ts';
import { type ObjectPlan, planObjects, unreadablePlan } from './plan-objects.ts';
import { type Plan, planText } from './plan-text.ts';

export interface RunPlanOptions extends ClusterOptions {
  readonly filename: readonly string[];
  readonly fieldManager: string;
  readonly forceConflicts: boolean;
  readonly prune: boolean;
  readonly format: 'text' | 'github' | 'json';
  readonly output?: 'text' | 'json';
  readonly summary?: string;
}

export async function runPlan(options: RunPlanOptions, terminal: Terminal): Promise<void> {
  const { fieldManager, forceConflicts: force, prune } = options;
  const sources = await readSources(options.filename, terminal.standardInput);
  const parsed = sources.map(parseManifests);
  const unreadable = parsed.flatMap((one) => one.unreadable).map(unreadablePlan);
  const manifests = parsed.flatMap((one) => one.manifests);
  const passedOver = parsed.reduce((sum, one) => sum + one.passedOver, 0);
  if (manifests.length + unreadable.length + passedOver === 0) refuseNothing('plan', options.filename);
  const known = await withCluster(options, terminal, async (cluster) => {
    const environments = await environmentsInCluster(cluster, terminal);
    const frozenBy = (write: FlagWrite) => freezesAgainst(write, environments, terminal.now());
    // It is not known which objects the files do not have if a part of them cannot be read.
    const prunes = prune && unreadable.length === 0;
    return planObjects(manifests, cluster, { fieldManager, force, prune: prunes, frozenBy });
  });
  const plans = [...unreadable, ...known];
  const status = statusOf(plans);
  const plan = { plans, passedOver };
  terminal.write(formatted(plan, options, terminal));
  if (options.summary !== undefined) await writeReportFile(options.summary, planMarkdown(plan));
  terminal.exit(status);
}

function formatted(plan: Plan, { format, output }: RunPlanOptions, { isColoured }: Terminal): string {
  switch (output ?? format) {
    case 'github':
      return planGithub(plan);
    case 'json':
      return planJson(plan);
    default:
      return planText(plan, isColoured);
  }
}

/** The obstacles as workflow commands of GitHub, which show each at the line of its object. */
function planGithub({ plans }: Plan): string {
  return plans
    .flatMap((plan) =>
      obstaclesOf(plan).map(({ severity, rule, message }) =>
        workflowCommand({ severity, rule, place: plan.place, message: `${objectOf(plan)}: ${message}` }),
      ),
    )
    .join('');
}

function planJson({ plans, ...rest }: Plan): string {
  const presented = plans.map((plan) => ({ ...plan, freezes: plan.freezes.map(presentFrozen) }));
  return jsonText({ plans: presented, ...rest });
}

function statusOf(plans: readonly ObjectPlan[]): number {
  const has = (...actions: readonly ObjectPlan['action'][]) => plans.some(({ action }) => actions.includes(action));
  if (has('conflict', 'rejected')) return EXIT.findings;
  return has('create', 'change', 'delete') ? EXIT.changes : EXIT.ok;
}
