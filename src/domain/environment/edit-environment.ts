/** Edits of an environment: functions from the object to its next spec. Unchanged parts are shared. */
import type { Environment, EnvironmentSpec } from '../../schema/environment.ts';
import { LAST } from '../flag/flag-context.ts';

/** On and off have no effect on a protected environment (docs/unleash-compatibility.md#environments). */
export function enableEnvironment({ spec }: Environment): EnvironmentSpec {
  return spec.protected || isEnabled(spec) ? spec : { ...spec, enabled: true };
}

export function disableEnvironment({ spec }: Environment): EnvironmentSpec {
  return spec.protected || !isEnabled(spec) ? spec : { ...spec, enabled: false };
}

export function moveEnvironment({ spec }: Environment, sortOrder: number): EnvironmentSpec {
  return (spec.sortOrder ?? LAST) === sortOrder ? spec : { ...spec, sortOrder };
}

/** Whether projects without a list of environments use the environment. */
function isEnabled({ enabled }: EnvironmentSpec): boolean {
  return enabled ?? true;
}
