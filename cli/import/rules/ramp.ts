/** A ramp for a percentage that moves evenly between two times. */
import { MAX_RAMP_STEPS, type Ramp, type RampStep } from '../../../src/schema/ramp.ts';

interface Moving {
  /** Percentages, rounded to whole ones. */
  readonly from: number;
  readonly to: number;
  /** Ms since 1970. */
  readonly start: number;
  readonly end: number;
}

/** Each step has at most as many users as the percentage that moves. Undefined if nothing moves. */
export function evenRamp({ from, to, start, end }: Moving): Ramp | undefined {
  const seconds = Math.floor((end - start) / 1000);
  const count = Math.min(MAX_RAMP_STEPS - 1, Math.abs(Math.round(to) - Math.round(from)), seconds);
  if (count < 1) return undefined;
  const steps = Array.from({ length: count }, (_, index): RampStep => {
    const reached = (to > from ? index : index + 1) / count;
    const lasts = Math.floor((seconds * (index + 1)) / count) - Math.floor((seconds * index) / count);
    return { rollout: Math.floor(from + (to - from) * reached), for: durationOf(lasts) };
  });
  return { startAt: new Date(start).toISOString(), steps: [...steps, { rollout: Math.round(to) }] };
}

/** Such as 1h30m. */
export function durationOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part, index) => (part > 0 ? `${part}${'hms'[index]}` : '')).join('');
}
