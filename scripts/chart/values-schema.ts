/** Writes the JSON Schema of the values of a chart. */
import { z } from 'zod';
import type { ValueRow } from './value-rows.ts';

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  description?: string;
}

interface ValuesSchemaParts {
  /** The name of the chart. */
  readonly chart: string;
  readonly values: z.ZodType;
  /** The JSON Schema of `config`. */
  readonly config: object;
  readonly rows: readonly ValueRow[];
}

/** Returns the text of values.schema.json. Throws for a row that the schema does not contain. */
export function writeValuesSchema({ chart, values, config, rows }: ValuesSchemaParts): string {
  const { $schema: _, ...generated } = z.toJSONSchema(values, { target: 'draft-7' }) as JsonSchema & {
    $schema?: string;
  };
  const schema = withoutRequired(generated);
  const properties = { ...schema.properties, config, global: { type: 'object' } };
  for (const { path, description } of rows) describe({ properties }, path, description);
  const title = `Values of the chart ${chart}`;
  const whole = { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schema, properties };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Makes values optional: a missing value has its default, and null removes it. Items of lists have no defaults. */
function withoutRequired({ required: _, properties, ...rest }: JsonSchema): JsonSchema {
  if (properties === undefined) return rest;
  const all = Object.entries(properties).map(([key, one]) => [key, withoutRequired(one)]);
  return { ...rest, properties: Object.fromEntries(all) };
}

function describe(schema: JsonSchema, path: readonly string[], description: string): void {
  const property = path.reduce<JsonSchema | undefined>((outer, key) => outer?.properties?.[key], schema);
  if (property === undefined) throw new Error(`values.yaml has ${path.join('.')}, which the schema does not contain`);
  if (description !== '') property.description ??= description;
}
