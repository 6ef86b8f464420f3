/** Shapes of requests and answers as JSON Schema 2020-12, in which a named shape occurs only once. */
import { z } from 'zod';
import { WIRE_NAME, wireNameMessage } from '../../../schema/fields/shapes.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

interface ConvertedShapes {
  /** The schemas in the order of the given shapes. */
  readonly schemas: readonly JsonSchema[];
  /** The schemas with an id, wherever they occur; to be placed below `#/components/schemas`. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** `input`: what is accepted; `output`: what is answered. */
export function shapesOf(shapes: readonly z.ZodType[], io: 'input' | 'output'): ConvertedShapes {
  // As members of one object, all shapes with a name become references, the outermost too.
  const together = z.object(Object.fromEntries(shapes.map((shape, index) => [`${index}`, shape])));
  const json = z.toJSONSchema(together, {
    io,
    override({ jsonSchema }) {
      const ruled = rules(jsonSchema);
      const rewritten = io === 'output' ? withoutRepetition(ruled) : ruled;
      for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword);
      Object.assign(jsonSchema, rewritten);
    },
  });
  for (const [name, { anyOf }] of Object.entries(json.$defs ?? {})) {
    const types = anyOf?.map((one) => (one as JsonSchema)['type']).join();
    if (isAnonymous(name) && types !== ANYTHING) throw new Error('A shape in a circle needs an id');
  }
  // Both change schemas alone, whatever examples contain, and need the schemas inside to be complete.
  const rewritten = JSON.parse(JSON.stringify(json), (_, value) => nullable(reference(value)));
  const { properties, $defs = {} }: Required<Pick<typeof json, 'properties' | '$defs'>> = rewritten;
  return {
    schemas: shapes.map((_, index) => properties[`${index}`] as JsonSchema),
    named: Object.fromEntries(Object.entries($defs).filter(([name]) => !isAnonymous(name))),
  };
}

/** Any JSON is defined in a circle, and without an id. */
const ANYTHING = 'string,number,boolean,null,array,object';
const DEFINITION = '#/$defs/';

function isAnonymous(name: string): boolean {
  return name.startsWith('__');
}

/** Describes CEL rules in words, except the rule of names, which JSON Schema can express. */
function rules({ 'x-kubernetes-validations': validations, ...schema }: JsonSchema): JsonSchema {
  const words = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-kubernetes-'));
  const kept = Object.fromEntries(words);
  if (validations === undefined) return kept;
  const messages = (validations as readonly { message: string }[]).map(({ message }) => message);
  return {
    ...kept,
    description: [schema['description'] ?? '', '', ...messages.map((message) => `- ${message}`)].join('\n').trim(),
    ...(messages.includes(wireNameMessage) && { pattern: WIRE_NAME.source }),
  };
}

function reference(schema: JsonSchema): JsonSchema {
  if (typeof schema?.['$ref'] !== 'string' || !schema['$ref'].startsWith(DEFINITION)) return schema;
  const { $ref, ...rest } = schema;
  const name = `${$ref}`.slice(DEFINITION.length);
  return isAnonymous(name) ? rest : { $ref: `#/components/schemas/${name}`, ...rest };
}

/** Writes `type: [x, "null"]` if it means the same. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema ?? {};
  const [inner, nothing, ...more] = (Array.isArray(anyOf) ? anyOf : []) as readonly JsonSchema[];
  const isPlain = more.length === 0 && nothing?.['type'] === 'null' && typeof inner?.['type'] === 'string';
  if (!isPlain) return schema;
  const values = inner['enum'];
  return {
    ...inner,
    ...outer,
    type: [inner['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}

/** Leaves out of answers the pattern of a format, and the range of every integer that JavaScript can hold. */
function withoutRepetition({ pattern, minimum, maximum, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    ...(pattern !== undefined && rest['format'] === undefined && { pattern }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}
