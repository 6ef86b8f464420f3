/** What a change of manifests does to flags. */
import type { EnvironmentState, FlagState } from './flag-state.ts';

export type Effect = 'switched on' | 'switched off' | 'created' | 'removed' | 'changed while on' | 'changed while off';

export interface StateChange {
  readonly flag: string;
  readonly project: string;
  /** Undefined: a flag without environments. */
  readonly environment: string | undefined;
  readonly effect: Effect;
}

/** In the order of the flags, those that were removed last. */
export function compareStates(before: readonly FlagState[], after: readonly FlagState[]): readonly StateChange[] {
  const earlier = byName(before);
  const later = byName(after);
  return [
    ...after.flatMap((flag) => changesOf(flag, earlier.get(keyOf(flag)), flag)),
    ...before.filter((flag) => !later.has(keyOf(flag))).flatMap((flag) => changesOf(flag, flag, undefined)),
  ];
}

function changesOf(
  { name: flag, project }: FlagState,
  before: FlagState | undefined,
  after: FlagState | undefined,
): readonly StateChange[] {
  const environments = new Set([...(before?.environments.keys() ?? []), ...(after?.environments.keys() ?? [])]);
  const changes = [...environments].flatMap((environment): StateChange[] => {
    const effect = effectOf(before?.environments.get(environment), after?.environments.get(environment));
    return effect ? [{ flag, project, environment, effect }] : [];
  });
  const isSwitched = changes.some(({ effect }) => effect.startsWith('switched'));
  if (before && after) return changes;
  const whole: StateChange = { flag, project, environment: undefined, effect: after ? 'created' : 'removed' };
  return isSwitched ? [whole, ...changes.filter(({ effect }) => effect.startsWith('switched'))] : [whole];
}

function effectOf(before: EnvironmentState | undefined, after: EnvironmentState | undefined): Effect | undefined {
  const wasOn = before?.inEffect === true;
  const isOn = after?.inEffect === true;
  if (wasOn !== isOn) return isOn ? 'switched on' : 'switched off';
  if (before?.spec === after?.spec) return undefined;
  return isOn ? 'changed while on' : 'changed while off';
}

function byName(flags: readonly FlagState[]): ReadonlyMap<string, FlagState> {
  return new Map(flags.map((flag) => [keyOf(flag), flag]));
}

/** A flag that moves to another project is another flag. */
function keyOf({ project, name }: FlagState): string {
  return `${project}/${name}`;
}
