/** Measures the operator with many flags, compared with a controller in Go: `make bench`. */
import { parseArgs } from 'node:util';
import { installDefinitions } from '../../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane/start-control-plane.ts';
import { grantOperatorRoles } from '../../support/operator-roles.ts';
import { describeChange, type Measured, machineKind, storeBaseline } from '../baseline.ts';
import type { Comparison } from '../comparisons.ts';
import { applyEnvironments, applyProject, HOME } from '../contents.ts';
import { clusterClient } from '../kept-client.ts';
import { nodeWithin, readMemory } from '../memory-limit.ts';
import { IMAGE_OPTIONS } from '../program.ts';
import { describeMachine } from '../report.ts';
import { runBench, type Undo } from '../run-bench.ts';
import { vexil, yardstick } from './contestants.ts';
import { NAMESPACES } from './flags.ts';
import { watchFlags } from './judged-flags.ts';
import { measurePhases, type Phase, type Scene } from './phases.ts';

/** Compares phases of the same name. */
function comparePhases(ours: readonly Phase[], others: readonly Phase[], control: string): Measured {
  return Object.fromEntries(
    ours.flatMap((phase) => {
      const other = others.find(({ name }) => name === phase.name);
      return other && other.tookMs > 0 ? [[phase.name, comparisonsOf(phase, other, control)]] : [];
    }),
  );
}

function comparisonsOf(ours: Phase, other: Phase, control: string): readonly Comparison[] {
  const comparison = (of: Comparison['of'], ratio: number) => ({
    control: `${control}, ${of}`,
    of,
    ratio,
    rounds: [ratio],
  });
  return [
    comparison('time', ours.tookMs / other.tookMs),
    comparison('processor time', ours.cpuSeconds / other.cpuSeconds),
    comparison('memory', ours.peakMb / other.peakMb),
  ];
}

function describePhase({ name, tookMs, syncedMs, latencies, ...footprint }: Phase): string {
  const synced = syncedMs === undefined ? '' : ` (its caches were full after ${seconds(syncedMs)})`;
  const { cpuSeconds, residentMb, peakMb } = footprint;
  return [
    `  ${name}: ${seconds(tookMs)}${synced}`,
    `    CPU ${cpuSeconds.toFixed(1)} s, resident ${residentMb.toFixed(0)} MiB, at most ${peakMb.toFixed(0)} MiB`,
    ...latencies.map(
      ({ of, asked, p50Ms, p99Ms, maxMs }) =>
        `    ${of} meanwhile: ${asked} times, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, longest ${maxMs.toFixed(0)} ms`,
    ),
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

const USAGE = `Usage: node test/perf/scale/main.ts [--flags N]... [--alone] [--memory MEBIBYTES] [--store] [--profile DIRECTORY]
  --flags    how many, 10000 unless said
  --alone    without the controller in Go
  --memory   the limit of the operator, as of a container; it takes root
  --store    keep the ratios, which later runs on machines of this kind are compared with
  --profile  where to leave CPU profiles of the operator, one for each of its starts`;

interface Options {
  readonly counts: readonly number[];
  readonly alone: boolean;
  readonly memory: number | undefined;
  readonly profile: string | undefined;
  readonly store: boolean;
}

function readOptions(): Options {
  const { flags, alone, memory, profile, store } = parseArgs({
    options: {
      flags: { type: 'string', multiple: true, default: ['10000'] },
      alone: { type: 'boolean', default: false },
      memory: { type: 'string' },
      profile: { type: 'string' },
      store: { type: 'boolean', default: false },
    },
  }).values;
  const wrong = flags.find((count) => !/^[1-9]\d{0,4}$/.test(count));
  if (wrong !== undefined) throw new Error(`--flags must be from 1 to 99999, not ${wrong}`);
  return { counts: flags.map(Number), alone, memory: readMemory(memory), profile, store };
}

function say(line: string): void {
  process.stderr.write(`scale: ${line}\n`);
}

async function run({ counts, alone, memory, profile, store }: Options, undoLater: (undo: Undo) => void): Promise<void> {
  process.stdout.write(`${describeMachine()}\n\n`);
  say('starting a control plane');
  const cluster = await startControlPlane();
  undoLater(cluster.stop);
  const scene = await prepare(cluster, undoLater);
  const runtime = {
    nodeOptions: [...IMAGE_OPTIONS, ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])],
    ...(memory !== undefined && { node: await nodeWithin(memory, undoLater) }),
  };
  const contestants = [vexil(runtime), ...(alone ? [] : [yardstick])];
  const measured: Record<string, readonly Comparison[]> = {};
  for (const count of counts) {
    const phases: Phase[][] = [];
    for (const contestant of contestants) {
      process.stdout.write(`${contestant.name}, ${count} flags\n`);
      phases.push(await measurePhases(contestant, { ...scene, count }));
    }
    const [ours = [], others = []] = phases;
    Object.assign(measured, comparePhases(ours, others, yardstick.name));
  }
  if (alone) return;
  process.stdout.write(`${await describeChange(measured)}\n`);
  if (store) await storeBaseline(machineKind(), measured);
}

async function prepare(cluster: ControlPlane, undoLater: (undo: Undo) => void): Promise<Omit<Scene, 'count'>> {
  await installDefinitions(cluster);
  for (const namespace of [HOME, ...NAMESPACES]) await cluster.kubectlOrThrow(['create', 'namespace', namespace]);
  const kubeconfig = await grantOperatorRoles(cluster, HOME, NAMESPACES);
  const admin = await clusterClient(cluster.kubeconfig);
  undoLater(admin.close);
  await applyEnvironments(admin);
  for (const namespace of NAMESPACES) await applyProject(admin, namespace, namespace);
  const judged = watchFlags(cluster);
  undoLater(judged.close);
  const report = (phase: Phase) => void process.stdout.write(`${describePhase(phase)}\n`);
  return { admin, judged, say, report, start: { kubeconfig, complain: say } };
}

await runBench({ usage: USAGE, readOptions, run });
