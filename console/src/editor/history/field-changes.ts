/** Describes what an event changed. */
import type { Schemas } from '../../api.generated.ts';
import {
  constraintText,
  dependencyText,
  type SegmentNames,
  strategySentence,
  variantText,
} from '../../feature/sentences.ts';

export interface FieldChange {
  readonly path: string;
  /** Undefined if the field did not exist. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type State = Readonly<Record<string, unknown>>;

/** Fields that say nothing about a change. */
const SILENT: readonly string[] = ['id', 'createdAt', 'lastSeenAt', 'sortOrder'];

/** Compares the two states of an event that changes something; an event that only adds or removes has one state. */
export function fieldChanges(before: unknown, after: unknown, nameOfSegment: SegmentNames): readonly FieldChange[] {
  const textOf = (path: string, value: unknown) => valueText(path, value, nameOfSegment);
  const changesAt = (path: string, [old, now]: readonly [unknown, unknown]): readonly FieldChange[] => {
    const [was, is] = [textOf(path, old), textOf(path, now)];
    if (was === is) return [];
    if (!isMap(old) || !isMap(now)) return [{ path, before: was, after: is }];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => !SILENT.includes(key));
    return keys.flatMap((key) => changesAt(path === '' ? key : `${path}.${key}`, [old[key], now[key]]));
  };
  return changesAt('', [before, after]);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns undefined for an empty value. */
function valueText(path: string, value: unknown, nameOfSegment: SegmentNames): string | undefined {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  if (path === 'constraints' && Array.isArray(value)) return value.map(constraintText).join(' and ');
  if (path === 'segments' && Array.isArray(value)) return value.map(nameOfSegment).join(', ');
  if (path === 'variants' && Array.isArray(value)) return value.map(variantText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Describes the only state of an event that adds or removes something; undefined if its label says everything. */
export function stateText(type: string, state: State, nameOfSegment: SegmentNames): string | undefined {
  if (type.startsWith('feature-strategy-')) return strategySentence(shapedState(state), nameOfSegment);
  if (type.startsWith('feature-dependency-')) {
    const dependency = shapedState<Schemas['Dependency']>(state);
    return `${dependency.feature} ${dependencyText(dependency)}`;
  }
  if (type === 'feature-freeze-bypassed') {
    return `during the freeze ${state['name']}, by bypass: ${state['reason'] || 'no reason given'}`;
  }
  if (type.endsWith('tagged')) return `${state['type']}:${state['value']}`;
  return undefined;
}

/**
 * The states of an event have the shape that docs/event-types.md lists for its type. The API refuses a write of another
 * shape.
 */
export function shapedState<T>(state: State): T {
  return state as T;
}
