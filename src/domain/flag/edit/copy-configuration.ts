/** Copies the configuration of a flag from one environment to another. */
import { Refusal } from '../../../errors.ts';
import type { FeatureFlag, FlagEnvironment, FlagSpec } from '../../../schema/feature-flag.ts';
import { environmentOf, isActive } from '../flag-values.ts';
import { type EditPlace, refuseDefects, refuseElsewhere, withEnvironment } from './edit-place.ts';

/**
 * Replaces strategies, variants and window by those of the environment `from`. The switch stays as it is, except that a
 * flag without an enabled strategy goes off. Ramps wait for their start.
 */
export function copyConfiguration(flag: FeatureFlag, place: EditPlace, from: string): FlagSpec {
  const { environment } = place;
  for (const name of [environment, from]) {
    refuseElsewhere(flag, { ...place, environment: name });
    refuseDefects(flag, name);
  }
  if (from === environment) {
    const message = `The environment "${from}" cannot be copied to itself. Name another one.`;
    throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['from'], message }] });
  }
  const { enabled: _, ...configuration } = environmentOf(flag.spec, from);
  const copy = withWaitingRamps(configuration);
  const { enabled } = environmentOf(flag.spec, environment);
  const isOn = enabled === true && isActive(copy);
  return withEnvironment(flag.spec, environment, { ...(enabled !== undefined && { enabled: isOn }), ...copy });
}

function withWaitingRamps(configuration: FlagEnvironment): FlagEnvironment {
  const { strategies } = configuration;
  if (!strategies) return configuration;
  const waiting = Object.entries(strategies).map(([key, strategy]) => {
    if (!strategy?.ramp) return [key, strategy] as const;
    const { startAt: _, pausedAt: __, ...ramp } = strategy.ramp;
    return [key, { ...strategy, ramp }] as const;
  });
  return { ...configuration, strategies: Object.fromEntries(waiting) };
}
