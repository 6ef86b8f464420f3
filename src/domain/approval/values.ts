/** The values that a change request is about, and where two of them differ. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../model/json.ts';
import type { Constraint } from '../../schema/constraint.ts';
import type { Decisive } from './decisive.ts';
import type { EnvironmentSettings, ProjectSettings } from './settings.ts';

export interface SegmentValues {
  readonly constraints: readonly Constraint[];
}

/** The values of a flag, a segment, a project or an environment. */
export type Values = Decisive | SegmentValues | ProjectSettings | EnvironmentSettings;

export function isDecisive(values: Values): values is Decisive {
  return 'archived' in values;
}

/** Also compares values as a status has them. */
export function isSameValues(one: object, other: Values): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Equal for equal values, whatever the order of their keys. */
export function digestOfValues(values: Values): string {
  return hash('sha256', canonicalJson(values));
}

/** Paths below the spec at which the values differ, for messages. */
export function fieldsThatDiffer(one: Values, other: Values): readonly string[] {
  const [before, after] = [fieldsOf(one), fieldsOf(other)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name)).map((name) => `spec.${name}`);
}

/** Each environment is a field of its own. */
function fieldsOf(values: Values): ReadonlyMap<string, string> {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] =>
    key === 'environments' && isDecisive(values)
      ? Object.entries(value).map(([name, entry]) => [`environments.${name}`, entry])
      : [[key, value]],
  );
  return new Map(entries.map(([key, value]) => [key, canonicalJson(value)]));
}
