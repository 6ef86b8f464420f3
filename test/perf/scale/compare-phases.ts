/** The phases of the operator as multiples of the phases of the controller in Go, which are stored and compared. */
import type { Measured } from '../baseline.ts';
import type { Comparison } from '../comparisons.ts';
import type { Phase } from './phases.ts';

/** Compares phases of the same name. */
export function comparePhases(ours: readonly Phase[], others: readonly Phase[], control: string): Measured {
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
