/** Generates the JSON Schema of a kind for completion and validation in editors. */
import { API_VERSIONS } from '../../model/kind.ts';
import type { StructuralSchema } from './structural-schema.ts';

type EditorSchema = Record<string, unknown>;

const texts: EditorSchema = { type: ['object', 'null'], additionalProperties: { type: ['string', 'null'] } };
const text: EditorSchema = { type: ['string', 'null'] };
const integer: EditorSchema = { type: ['integer', 'null'] };
const records: EditorSchema = { type: ['array', 'null'], items: { type: 'object' } };
/** RFC 3339 as Go reads it: `date-time` alone also allows a space or a lower-case letter between date and time. */
const time: EditorSchema = { ...text, format: 'date-time', pattern: '^[-0-9]+T[^tz ]+$' };

/**
 * The fields of every Kubernetes object, including those that the API server sets: files that kubectl wrote contain
 * them. kubectl and the API server refuse an object with a value of another type in one of them.
 */
export const OBJECT_META: EditorSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', description: 'The name of the object; unique in its namespace for its kind.' },
    generateName: text,
    namespace: { type: 'string', description: 'The namespace; absent: that of the apply.' },
    labels: { ...texts, description: 'Keys and values with which objects are selected.' },
    annotations: { ...texts, description: 'Any texts by key.' },
    finalizers: { type: ['array', 'null'], items: { type: 'string' } },
    creationTimestamp: time,
    deletionGracePeriodSeconds: integer,
    deletionTimestamp: time,
    generation: integer,
    managedFields: records,
    ownerReferences: records,
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

/** Absent versions: all. */
export function editorSchema(kind: string, schema: StructuralSchema, apiVersions = API_VERSIONS): EditorSchema {
  const { properties, ...rest } = closed(schema) as { properties: Record<string, EditorSchema> };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: kind,
    ...rest,
    required: ['apiVersion', 'kind', 'metadata'],
    properties: {
      ...properties,
      apiVersion: { enum: apiVersions },
      kind: { const: kind },
      metadata: OBJECT_META,
    },
  };
}

/** Translates nullable and int-or-string to draft 7; objects with named fields allow no other fields. */
function closed(schema: StructuralSchema): EditorSchema {
  const { nullable, type, properties, additionalProperties, items, ...rest } = schema;
  const words = Object.entries(rest).filter(([keyword]) => !keyword.startsWith('x-kubernetes-'));
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : type === undefined ? [] : [type];
  if (nullable) types.push('null');
  return {
    ...Object.fromEntries(words),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(items && { items: closed(items) }),
    ...(additionalProperties && { additionalProperties: closed(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, closed(value)])),
    }),
    ...(properties && !schema['x-kubernetes-preserve-unknown-fields'] && { additionalProperties: false }),
  };
}
