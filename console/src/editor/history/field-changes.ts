/** What an event changed, in words. */
import type { Schemas } from '../../api.generated.ts';
import { constraintText, strategySentence } from '../../feature/sentences.ts';

export interface FieldChange {
  readonly path: string;
  /** Undefined: the field was not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Fields that say nothing about a change. */
const SILENT: readonly string[] = ['id', 'createdAt', 'lastSeenAt', 'sortOrder'];

/** Of an event that changes something; one that only adds or removes has one state. */
export function fieldChanges(before: unknown, after: unknown, path = ''): readonly FieldChange[] {
  if (valueText(path, before) === valueText(path, after)) return [];
  if (!isMap(before) || !isMap(after)) {
    return [{ path, before: valueText(path, before), after: valueText(path, after) }];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !SILENT.includes(key));
  return keys.flatMap((key) => fieldChanges(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined: there is none. */
function valueText(path: string, value: unknown): string | undefined {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  if (path === 'constraints' && Array.isArray(value)) return value.map(constraintText).join(' and ');
  if (path === 'variants' && Array.isArray(value)) return value.map(variantText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function variantText({ name, weight, payload }: Schemas['Variant']): string {
  return `${name} ${weight / 10} %${payload ? ` with ${payload.value}` : ''}`;
}

/** The one state of an event that adds or removes something; undefined: its label says it all. */
export function stateText(type: string, state: Readonly<Record<string, unknown>>): string | undefined {
  if (type.startsWith('feature-strategy-')) return strategySentence(shapedState(state));
  if (type.startsWith('feature-dependency-')) {
    const { feature, enabled, variants = [] } = shapedState<Schemas['Dependency']>(state);
    const which = variants.length > 0 ? ` with ${variants.join(' or ')}` : '';
    return `${feature} must be ${enabled ? 'on' : 'off'}${which}`;
  }
  if (type.endsWith('tagged')) return `${state['type']}:${state['value']}`;
  return undefined;
}

/** The states of an event have the shape that docs/event-types.md says for its type; what does not fit, the API refuses. */
export function shapedState<T>(state: Readonly<Record<string, unknown>>): T {
  return state as T;
}
