/** The results as Markdown. */
import { cpus, loadavg, totalmem } from 'node:os';
import { type Measurements, medianRound } from './compare.ts';
import { type Comparison, comparisonsOf } from './comparisons.ts';
import type { Aim, Row } from './rows.ts';

/** Describes the machine. */
export function describeMachine(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim() ?? 'unknown processor';
  const memory = (totalmem() / 1024 ** 3).toFixed(1);
  const runtime = `Node ${process.version}, ${process.platform} ${process.arch}`;
  return `${cores.length} cores (${model}), ${memory} GiB, ${runtime}, ${describeLoad()}`;
}

/** Describes the load of the machine in the last minute, including the benchmark. */
export function describeLoad(): string {
  return `load average ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

/** Describes a row with all its sides. */
export function describeRow({ title, unit = 'requests', sides, aim, remarks }: Row): string {
  const [ours] = sides;
  return [
    title,
    ...sides.map((side) => describeSide(side, unit)),
    ...comparisonsOf({ sides, aim }).map((comparison) => describeComparison(comparison, { aim, unit })),
    ...('p99MsAtMost' in aim ? [describeLimit(ours, aim.p99MsAtMost)] : []),
    ...('perSecondAtLeast' in aim ? [describeFloor(ours, { perSecondAtLeast: aim.perSecondAtLeast, unit })] : []),
    ...remarks.map((remark) => `  ${remark}`),
    '',
  ].join('\n');
}

function describeSide(side: Measurements, unit: string): string {
  const { perSecond, p50Ms, p99Ms } = medianRound(side);
  const cells = [
    side.name.padEnd(22),
    `${perSecond.toFixed(0).padStart(7)} ${unit}/s`,
    `p50 ${p50Ms.toFixed(2).padStart(6)} ms`,
    `p99 ${p99Ms.toFixed(2).padStart(6)} ms`,
  ];
  return `  ${cells.join('   ')}`;
}

function describeComparison(
  { control, of, rounds, ratio }: Comparison,
  { aim, unit }: { aim: Aim; unit: string },
): string {
  const what = of === 'throughput' ? `${unit}/s` : 'p50';
  const each = rounds.map((one) => one.toFixed(2)).join(' ');
  return `  ${what} against ${control}: ${ratio.toFixed(2)} (${rounds.length} rounds: ${each})${verdictOn(ratio, aim)}`;
}

function verdictOn(ratio: number, aim: Aim): string {
  if ('throughputAtLeast' in aim) return verdict(`at least ${aim.throughputAtLeast}`, ratio >= aim.throughputAtLeast);
  if ('latencyAtMost' in aim) return verdict(`at most ${aim.latencyAtMost}`, ratio <= aim.latencyAtMost);
  return '';
}

function describeLimit(ours: Measurements, p99MsAtMost: number): string {
  const { p99Ms } = medianRound(ours);
  return `  p99 of ${ours.name}: ${p99Ms.toFixed(2)} ms${verdict(`at most ${p99MsAtMost} ms`, p99Ms <= p99MsAtMost)}`;
}

function describeFloor(
  ours: Measurements,
  { perSecondAtLeast, unit }: { perSecondAtLeast: number; unit: string },
): string {
  const { perSecond } = medianRound(ours);
  const wanted = `at least ${perSecondAtLeast} ${unit}/s`;
  return `  ${ours.name}: ${perSecond.toFixed(0)} ${unit}/s${verdict(wanted, perSecond >= perSecondAtLeast)}`;
}

function verdict(wanted: string, met: boolean): string {
  return `, aim ${wanted}: ${met ? 'met' : 'aim missed'}`;
}
