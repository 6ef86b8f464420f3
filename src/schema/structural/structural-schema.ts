/** Turns a zod schema into a structural OpenAPI v3 schema for a CustomResourceDefinition. */
import { z } from 'zod';
import { LATER_PATTERN } from '../fields/rule.ts';

export interface StructuralSchema {
  type?: string;
  description?: string;
  nullable?: boolean;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: { rule: string; message: string; fieldPath?: string }[];
}

const known = new Set(
  [
    'type description nullable format pattern enum minimum maximum minLength maxLength maxItems maxProperties required',
    'properties additionalProperties items x-kubernetes-int-or-string x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-validations',
  ].flatMap((line) => line.split(' ')),
);

/** Throws if the schema is not structural or not bounded; `path` names it in the error. */
export function structuralSchema(schema: z.ZodType, path: string): StructuralSchema {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' });
  return shaped(json as Record<string, unknown>, path);
}

function shaped(json: Record<string, unknown>, path: string): StructuralSchema {
  const schema = asStructural(json);
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) throw new Error(`${path}: a structural schema cannot have "${keyword}"`);
  }
  refuseUnbounded(schema, path);
  if (schema.items) schema.items = shaped({ ...schema.items }, `${path}[]`);
  if (schema.additionalProperties)
    schema.additionalProperties = shaped({ ...schema.additionalProperties }, `${path}.*`);
  if (schema.properties) {
    schema.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [name, shaped({ ...value }, `${path}.${name}`)]),
    );
  }
  return schema;
}

/** Translates keywords that structural schemas do not have. */
function asStructural(json: Record<string, unknown>): StructuralSchema {
  const { anyOf, $schema: _, additionalProperties, minimum, [LATER_PATTERN]: laterPattern, ...rest } = json;
  const schema = rest as StructuralSchema;
  if (anyOf !== undefined && schema['x-kubernetes-int-or-string']) Object.assign(schema, bothBounds(anyOf));
  else if (anyOf !== undefined) Object.assign(schema, { anyOf });
  if (laterPattern !== undefined) schema.pattern = laterPattern as string;
  if (minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER) schema.minimum = minimum as number;
  if (additionalProperties === undefined || additionalProperties === false) return schema;
  if (Object.keys(additionalProperties as object).length > 0) {
    schema.additionalProperties = additionalProperties as StructuralSchema;
  } else {
    schema['x-kubernetes-preserve-unknown-fields'] = true;
  }
  return schema;
}

/** Combines the bounds of an integer and of a string: each applies only to values of its type. */
function bothBounds(alternatives: unknown): StructuralSchema {
  const { type: _, ...bounds } = Object.assign({}, ...(alternatives as StructuralSchema[])) as StructuralSchema;
  return bounds;
}

function refuseUnbounded(schema: StructuralSchema, path: string): void {
  const unbounded =
    (schema.type === 'string' && schema.maxLength === undefined && !schema.enum && schema.format !== 'date-time') ||
    (schema.type === 'array' && schema.maxItems === undefined) ||
    (schema.additionalProperties !== undefined && schema.maxProperties === undefined);
  if (unbounded) throw new Error(`${path}: every string, list and map needs a bound`);
}
