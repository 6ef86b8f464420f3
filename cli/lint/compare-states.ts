/** Compares the states of flags and segments before and after a change of manifests. */
import { isDeepStrictEqual } from 'node:util';
import { type EnvironmentState, type FlagState, flagKey, type SegmentState, type States } from './flag-state.ts';

type WholeEffect = 'created' | 'removed' | 'changed';
export type Effect = 'switched on' | 'switched off' | 'changed while on' | 'changed while off' | WholeEffect;

interface ChangeOfFlag {
  readonly flag: string;
  readonly project: string;
  /** Undefined if the change affects the flag as a whole. */
  readonly environment: string | undefined;
  readonly effect: Effect;
  /** The changed fields of the spec, if the effect is `changed`. */
  readonly fields?: readonly string[];
}

interface ChangeOfSegment {
  readonly segment: string;
  readonly effect: WholeEffect;
  /** The changed fields of the spec, if the effect is `changed`. */
  readonly fields?: readonly string[];
  /** The flags that use it, as `project/name`. */
  readonly flags: readonly string[];
}

export type StateChange = ChangeOfFlag | ChangeOfSegment;

/** Returns the changes of flags, then those of segments, both in order; removed flags and segments come last. */
export function compareStates(before: States, after: States): readonly StateChange[] {
  return [
    ...paired(before.flags, after.flags, flagKey).flatMap(changesOfFlag),
    ...paired(before.segments, after.segments, ({ name }) => name).flatMap(changesOfSegment),
  ];
}

interface Pair<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
  /** `after`, or `before` if there is no `after`. */
  readonly latest: T;
}

function paired<T>(before: readonly T[], after: readonly T[], keyOf: (one: T) => string): readonly Pair<T>[] {
  const earlier = new Map(before.map((one) => [keyOf(one), one]));
  const later = new Set(after.map(keyOf));
  const removed = before.filter((one) => !later.has(keyOf(one)));
  return [
    ...after.map((one) => ({ before: earlier.get(keyOf(one)), after: one, latest: one })),
    ...removed.map((one) => ({ before: one, after: undefined, latest: one })),
  ];
}

function changesOfFlag({ before, after, latest: { name: flag, project } }: Pair<FlagState>): readonly ChangeOfFlag[] {
  const environments = new Set([...(before?.environments.keys() ?? []), ...(after?.environments.keys() ?? [])]);
  const changes = [...environments].flatMap((environment): ChangeOfFlag[] => {
    const effect = effectOf(before?.environments.get(environment), after?.environments.get(environment));
    return effect ? [{ flag, project, environment, effect }] : [];
  });
  const whole = wholeChange(before, after).map((one) => ({ flag, project, environment: undefined, ...one }));
  return [...whole, ...(before && after ? changes : changes.filter(({ effect }) => effect.startsWith('switched')))];
}

function changesOfSegment({ before, after, latest }: Pair<SegmentState>): readonly ChangeOfSegment[] {
  const { name: segment, flags } = latest;
  return wholeChange(before, after).map((one) => ({ segment, ...one, flags }));
}

type Whole = Pick<FlagState, 'fields'> | undefined;

function wholeChange(before: Whole, after: Whole): readonly Pick<ChangeOfSegment, 'effect' | 'fields'>[] {
  if (!before || !after) return [{ effect: after ? 'created' : 'removed' }];
  const names = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)]);
  const fields = [...names].filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])).sort();
  return fields.length === 0 ? [] : [{ effect: 'changed', fields }];
}

function effectOf(before: EnvironmentState | undefined, after: EnvironmentState | undefined): Effect | undefined {
  const wasOn = before?.inEffect === true;
  const isOn = after?.inEffect === true;
  if (wasOn !== isOn) return isOn ? 'switched on' : 'switched off';
  if (isDeepStrictEqual(before?.spec, after?.spec)) return undefined;
  return isOn ? 'changed while on' : 'changed while off';
}
