/** Edits of an environment: functions from the object to its next spec, which share what they leave alone. */
import type { Environment, EnvironmentSpec } from '../schema/environment.ts';
import { LAST } from './surroundings.ts';

/** On and off have no effect on a protected environment (facts §12). */
export function enableEnvironment({ spec }: Environment): EnvironmentSpec {
  return spec.protected || isEnabled(spec) ? spec : { ...spec, enabled: true };
}

export function disableEnvironment({ spec }: Environment): EnvironmentSpec {
  return spec.protected || !isEnabled(spec) ? spec : { ...spec, enabled: false };
}

export function moveEnvironment({ spec }: Environment, sortOrder: number): EnvironmentSpec {
  return (spec.sortOrder ?? LAST) === sortOrder ? spec : { ...spec, sortOrder };
}

/** Whether projects that name no environments use it. */
function isEnabled({ enabled }: EnvironmentSpec): boolean {
  return enabled ?? true;
}
