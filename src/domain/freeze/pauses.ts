/** The time that does not count for the ramps of an environment: the periods of its freezes with `ramps: Pause`. */
import { DAY_MS } from '../../model/clock.ts';
import type { Freeze } from '../../schema/freeze.ts';
import type { Freezing } from './freeze-in-force.ts';
import { mergePeriods, type Period, periodsOf } from './freeze-periods.ts';

/** Times in ms since 1970. */
export interface Pauses {
  /** The first time at or after `from`, outside of a pause, by which `ms` have counted. */
  countOn(from: number, ms: number): number;
  /** The last time from which `ms` count up to `until`. */
  countBack(until: number, ms: number): number;
  /** The ms that count from one time up to another. */
  countBetween(from: number, until: number): number;
}

export const NO_PAUSES: Pauses = {
  countOn: (from, ms) => from + ms,
  countBack: (until, ms) => until - ms,
  countBetween: (from, until) => until - from,
};

const known = new WeakMap<object, Pauses>();

/** `environment` is undefined if it does not exist. Returns the same object for the same freezes. */
export function pausesOf(environment: Freezing | undefined): Pauses {
  const freezes = environment?.freezes ?? undefined;
  if (!freezes?.some(({ ramps }) => ramps === 'Pause')) return NO_PAUSES;
  const found = known.get(freezes);
  if (found) return found;
  const fresh = createPauses(freezes.filter(({ ramps }) => ramps === 'Pause'));
  known.set(freezes, fresh);
  return fresh;
}

const SPAN_MS = 28 * DAY_MS;
/** Four years. A ramp that weekly freezes pause for longer continues as if no freezes followed. */
const MAX_SPANS = 52;
/** The number of spans that are kept; others are computed each time. */
const MAX_KNOWN_SPANS = 1000;

function createPauses(freezes: readonly Freeze[]): Pauses {
  const spans = new Map<number, readonly Period[]>();
  /** The pauses in the span of this number, which never overlap. */
  const pausesIn = (span: number): readonly Period[] => {
    const found = spans.get(span);
    if (found) return found;
    const range = { from: span * SPAN_MS, until: (span + 1) * SPAN_MS };
    const inside = freezes.flatMap((freeze) => periodsOf(freeze, range)).map((period) => clipped(period, range));
    const merged = mergePeriods(inside);
    if (spans.size >= MAX_KNOWN_SPANS) spans.clear();
    spans.set(span, merged);
    return merged;
  };
  /** The pauses in their order; none after `MAX_SPANS`. */
  function* pausesFrom(from: number): Generator<Period> {
    const first = Math.floor(from / SPAN_MS);
    for (let span = first; span < first + MAX_SPANS; span += 1) yield* pausesIn(span);
  }
  /** The pauses from the last to the first. */
  function* pausesBefore(until: number): Generator<Period> {
    const last = Math.floor(until / SPAN_MS);
    for (let span = last; span > last - MAX_SPANS; span -= 1) yield* pausesIn(span).toReversed();
  }
  return {
    countOn(from, ms) {
      let [at, left] = [from, ms];
      for (const pause of pausesFrom(from)) {
        const counts = pause.from - at;
        if (left < counts) return at + left;
        if (pause.until <= at) continue;
        left -= Math.max(0, counts);
        at = pause.until;
      }
      return at + left;
    },
    countBack(until, ms) {
      let [at, left] = [until, ms];
      for (const pause of pausesBefore(until)) {
        if (pause.from >= at) continue;
        const counts = Math.max(0, at - pause.until);
        if (left <= counts) return at - left;
        left -= counts;
        at = pause.from;
      }
      return at - left;
    },
    countBetween(from, until) {
      let paused = 0;
      for (const pause of pausesFrom(from)) {
        if (pause.from >= until) break;
        paused += Math.max(0, Math.min(pause.until, until) - Math.max(pause.from, from));
      }
      return until - from - paused;
    },
  };
}

function clipped({ from, until }: Period, range: Period): Period {
  return { from: Math.max(from, range.from), until: Math.min(until, range.until) };
}
