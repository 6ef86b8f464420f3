/** Describes a phase as text. */
import type { Phase } from './phases.ts';

export function describePhase({ name, tookMs, syncedMs, latencies, ...footprint }: Phase): string {
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
