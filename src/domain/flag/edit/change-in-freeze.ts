/**
 * The writes of a flag that a freeze refuses. config/admission/environment-changes.yaml applies the same rule to every
 * client of the API server.
 */
import type { FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { differ, isForAll, own, type SpecWrite, touchedByFlag } from './environments-touched.ts';

/** The environments that the write changes, except those where it only takes away what is on. */
export function refusedByFreeze(write: SpecWrite<FlagSpec>): readonly string[] {
  const { before, after } = write;
  const changesAll = isForAll(write);
  return touchedByFlag(write).filter((name) => {
    const [old, next] = [own(before?.environments ?? {}, name), own(after?.environments ?? {}, name)];
    if (changesAll) return true;
    return old && next ? !onlyTakesAway(old, next) : !saysOnlyOff(old ?? next);
  });
}

/** Whether the environment has the same effect with the entry as without it. Null counts as absent. */
function saysOnlyOff(entry: FlagEnvironment | null = {}): boolean {
  const { enabled = false, strategies, ...rest } = entry ?? {};
  const isEmpty = Object.keys(strategies ?? {}).length === 0;
  return enabled !== true && isEmpty && Object.values(rest).every((value) => value === null || value === undefined);
}

/**
 * Whether only `enabled`, `disabled` of strategies and `pausedAt` of ramps differ, and each change takes something
 * away.
 */
function onlyTakesAway(before: FlagEnvironment, after: FlagEnvironment): boolean {
  const { enabled: wasOn = false, strategies: old, ...rest } = before;
  const { enabled: isOn = false, strategies: next, ...others } = after;
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])];
  return (
    (!isOn || wasOn) &&
    !differ(rest, others) &&
    keys.every((key) => {
      const [one, other] = [own(old ?? {}, key), own(next ?? {}, key)];
      return one && other ? takesAwayIn(one, other) : !one && !other;
    })
  );
}

function takesAwayIn(before: Strategy, after: Strategy): boolean {
  const { disabled: wasDisabled = false, ramp: old, ...rest } = before;
  const { disabled: isDisabled = false, ramp: next, ...others } = after;
  return (isDisabled || !wasDisabled) && !differ(rest, others) && isSameOrPaused(old, next);
}

function isSameOrPaused(before: Strategy['ramp'], after: Strategy['ramp']): boolean {
  if (!before || !after) return !before && !after;
  const { pausedAt, ...old } = before;
  const { pausedAt: next, ...others } = after;
  return !differ(old, others) && (pausedAt === undefined || pausedAt === next);
}
