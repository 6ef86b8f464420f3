/** The context fields of flagd. */
import { isRecord } from '../../../src/model/json.ts';
import { DEFAULT_FIELD } from '../rules/targeting-rule.ts';

/**
 * The targeting key is the user, as for every provider of OpenFeature. Returns the context field of a `var`; undefined
 * if a flat context has no such field.
 */
export function fieldOf(value: unknown): string | undefined {
  const given: unknown = isRecord(value) && Object.keys(value).length === 1 ? value['var'] : undefined;
  const name: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (typeof name !== 'string' || name === '' || /[.$]/.test(name)) return undefined;
  return name === 'targetingKey' ? DEFAULT_FIELD : name;
}
