/** Runs the Jobs of a namespace in a cluster without a kubelet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';
import { containerOf } from '../as-kubelet.ts';
import type { ControlPlaneAccess, ControlPlaneAddress } from '../control-plane/access.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { Stored } from '../stored.ts';

type Cluster = ControlPlaneAccess & ControlPlaneAddress;

export interface RunJob extends Finished {
  readonly name: string;
}

/** Does the work, and runs each Job that appears meanwhile. */
export async function withJobs<T>(
  cluster: Cluster,
  namespace: string,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly jobs: readonly RunJob[] }> {
  const jobs: RunJob[] = [];
  const ran = new Set<string>();
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  await waitUntil({ what: 'the work is done', everyMs: 200 }, async () => {
    for (const job of await newJobs(cluster, namespace, ran)) {
      ran.add(job.metadata.uid);
      jobs.push({ name: job.metadata.name, ...(await run(cluster, job)) });
    }
    return isOver;
  });
  return { result: await ended, jobs };
}

async function newJobs(cluster: Cluster, namespace: string, ran: ReadonlySet<string>): Promise<readonly Stored[]> {
  const { items } = await cluster.getObject('jobs', namespace);
  return items.filter(({ metadata }: Stored) => !ran.has(metadata.uid));
}

async function run(cluster: Cluster, { metadata, spec }: Stored): Promise<Finished> {
  const { namespace, name } = metadata;
  const folder = await mkdtemp(join(tmpdir(), 'vexil-job-'));
  const startTime = now();
  try {
    const { args, environment, account } = await containerOf({ cluster, namespace, template: spec.template, folder });
    const finished = await runProgram(process.execPath, args, {
      environment: { ...environment, SERVICE_ACCOUNT_FOLDER: account },
      endsWithUs: true,
    });
    if (finished.code === 0) await markComplete(cluster, { namespace, name, startTime });
    return finished;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Mark {
  readonly namespace: string;
  readonly name: string;
  readonly startTime: string;
}

async function markComplete(cluster: Cluster, { namespace, name, startTime }: Mark): Promise<void> {
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => {
    return { type, status: 'True', reason: 'CompletionsReached', lastTransitionTime: now(), lastProbeTime: now() };
  });
  const status = { startTime, completionTime: now(), active: 0, ready: 0, succeeded: 1, conditions };
  await cluster.patchObject(`job/${name}/status`, namespace, { status: { ...status, uncountedTerminatedPods: {} } });
}

/** The present time in the form of the API server. */
function now(): string {
  return new Date().toISOString().replace(/\.\d+Z/, 'Z');
}
