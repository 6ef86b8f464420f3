/** Describes what an event changed. */
import type { Schemas } from '../../api.generated.ts';
import {
  constraintText,
  dependencyText,
  type SegmentNames,
  strategySentence,
  variantText,
} from '../../feature/sentences.ts';
import { zonedTimeText } from '../../times.ts';

export interface FieldChange {
  readonly path: string;
  /** Undefined if the field did not exist. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type RecordedValues = Readonly<Record<string, unknown>>;

/** Fields that say nothing about a change. */
const SILENT: readonly string[] = ['id', 'createdAt', 'lastSeenAt', 'sortOrder'];

/** Compares the two states of an event that changes something; an event that only adds or removes has one state. */
export function fieldChanges(before: unknown, after: unknown, nameOfSegment: SegmentNames): readonly FieldChange[] {
  const textOf = (path: string, value: unknown) => valueText(path, value, nameOfSegment);
  const changesAt = (path: string, [old, now]: readonly [unknown, unknown]): readonly FieldChange[] => {
    const [was, is] = [textOf(path, old), textOf(path, now)];
    if (was === is) return [];
    // A map that is new or gone is described by its members.
    const [oldMap, nowMap] = [old ?? {}, now ?? {}];
    if (!isMap(oldMap) || !isMap(nowMap)) return [{ path, before: was, after: is }];
    const keys = [...new Set([...Object.keys(oldMap), ...Object.keys(nowMap)])].filter((key) => !SILENT.includes(key));
    return keys.flatMap((key) => changesAt(path === '' ? key : `${path}.${key}`, [oldMap[key], nowMap[key]]));
  };
  return changesAt('', [before, after]);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type ListText = (list: readonly unknown[], nameOfSegment: SegmentNames) => string;

/** The texts of lists, by the ends of their paths. */
const LISTS: Readonly<Record<string, ListText>> = {
  constraints: (list) => shapedList<Schemas['Constraint']>(list).map(constraintText).join(' and '),
  segments: (list, nameOfSegment) => shapedList<number>(list).map(nameOfSegment).join(', '),
  variants: (list) => shapedList<Schemas['Variant']>(list).map(variantText).join(', '),
  steps: (list) => shapedList<RampStepValue>(list).map(stepText).join(', '),
  freezes: (list) => shapedList<FreezeValue>(list).map(freezeText).join(', '),
};

const TIMES: readonly string[] = ['activeFrom', 'activeUntil', 'startAt', 'pausedAt'];

/** Returns undefined for an empty value. */
function valueText(path: string, value: unknown, nameOfSegment: SegmentNames): string | undefined {
  if (value === undefined || value === null) return undefined;
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (typeof value === 'string') return TIMES.includes(name) ? zonedTimeText(value) : value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  const listText = LISTS[name];
  return value.length === 0 ? undefined : (listText?.(value, nameOfSegment) ?? JSON.stringify(value));
}

type RampStepValue = NonNullable<NonNullable<Schemas['Strategy']['ramp']>['steps']>[number];

function stepText({ rollout, for: duration }: RampStepValue): string {
  return `${rollout} %${duration === undefined ? '' : ` for ${duration}`}`;
}

interface FreezeValue {
  readonly name: string;
  readonly from: string;
  readonly until: string;
  readonly reason?: string;
}

function freezeText({ name, from, until, reason }: FreezeValue): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${name} from ${zonedTimeText(from)} until ${zonedTimeText(until)}${why}`;
}

function shapedList<T>(list: readonly unknown[]): readonly T[] {
  return list as readonly T[];
}

/** Describes the only state of an event that adds or removes something; undefined if its label says everything. */
export function stateText(type: string, state: RecordedValues, nameOfSegment: SegmentNames): string | undefined {
  if (type.startsWith('feature-strategy-')) return strategySentence(shapedState(state), nameOfSegment);
  if (type.startsWith('feature-dependency-')) {
    const dependency = shapedState<Schemas['Dependency']>(state);
    return `${dependency.feature} ${dependencyText(dependency)}`;
  }
  if (type === 'feature-freeze-bypassed') {
    return `during the freeze ${state['name']}, by bypass${state['reason'] ? '' : ', without a reason'}`;
  }
  if (type === 'feature-ramp-step') return `step ${state['step']} of ${state['steps']}: ${state['rollout']} %`;
  if (type.endsWith('tagged')) return `${state['type']}:${state['value']}`;
  return undefined;
}

/**
 * The states of an event have the shape that docs/event-types.md lists for its type. The API refuses a write of another
 * shape.
 */
export function shapedState<T>(state: RecordedValues): T {
  return state as T;
}
