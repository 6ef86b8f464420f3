/** Pairs the parts of a value with their schemas. */
import { isRecord } from '../../src/model/json.ts';
import type { StructuralSchema } from '../../src/schema/structural/structural-schema.ts';

export type Child = readonly [key: string, schema: StructuralSchema, value: unknown];

/** Skips parts that the schema does not name. */
export function childrenOf(
  { properties, additionalProperties, items }: StructuralSchema,
  value: unknown,
): readonly Child[] {
  if (Array.isArray(value)) return items ? value.map((item, index): Child => [String(index), items, item]) : [];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): Child[] => {
    const schema = (properties && Object.hasOwn(properties, key) ? properties[key] : undefined) ?? additionalProperties;
    return schema ? [[key, schema, inner]] : [];
  });
}
