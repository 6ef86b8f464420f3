/** Finds repeated entries of sets and of lists with keys. */
import type { StructuralSchema } from '../../src/schema/structural/structural-schema.ts';
import { pathText } from '../manifests/field-path.ts';
import type { FieldFinding } from './finding.ts';
import { childrenOf } from './schema-children.ts';

export function repeatedEntries(
  schema: StructuralSchema,
  value: unknown,
  path: readonly string[] = [],
): readonly FieldFinding[] {
  const children = childrenOf(schema, value);
  const own = Array.isArray(value) ? repeatedIn(schema, value).map((index) => findingOf([...path, index])) : [];
  return [...own, ...children.flatMap(([key, child, inner]) => repeatedEntries(child, inner, [...path, key]))];
}

/** Returns the indexes of entries that equal an earlier one. */
function repeatedIn(schema: StructuralSchema, entries: readonly unknown[]): readonly string[] {
  const { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys } = schema;
  if (type !== 'set' && type !== 'map') return [];
  const known = new Set<string>();
  return entries.flatMap((entry, index) => {
    const identity = JSON.stringify(type === 'map' ? (keys ?? []).map((key) => Object(entry)[key]) : entry);
    if (known.has(identity)) return [String(index)];
    known.add(identity);
    return [];
  });
}

function findingOf(path: readonly string[]): FieldFinding {
  return { severity: 'error', path, rule: 'schema', message: `${pathText(path)} is there twice: remove one` };
}
