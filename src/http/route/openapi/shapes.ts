/** Shapes of requests and answers as JSON Schema 2020-12, in which a named shape occurs only once. */
import { z } from 'zod';
import { WIRE_NAME, wireNameMessage } from '../../../schema/shapes.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

interface Shapes {
  /** The schemas in the order of the given shapes. */
  readonly schemas: readonly JsonSchema[];
  /** The schemas with an id, wherever they occur; to be placed below `#/components/schemas`. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/** `input`: what is accepted; `output`: what is answered. */
export function shapesOf(shapes: readonly z.ZodType[], io: 'input' | 'output'): Shapes {
  // As members of one object, all shapes with a name become references, the outermost too.
  const together = z.object(Object.fromEntries(shapes.map((shape, index) => [`${index}`, shape])));
  const { properties = {}, $defs = {} } = z.toJSONSchema(together, { io });
  const anonymous = Object.keys($defs).filter((name) => name.startsWith('__'));
  const inWords = (schema: unknown) => spell(schema as JsonSchema, { io, anything: anonymous.filter(isAnything) });
  function isAnything(name: string): boolean {
    const types = ($defs[name]?.anyOf ?? []).map((one) => (one as JsonSchema)['type']);
    if (types.join() !== 'string,number,boolean,null,array,object') throw new Error('A shape in a circle needs an id');
    return true;
  }
  const named = Object.entries($defs).filter(([name]) => !anonymous.includes(name));
  return {
    schemas: shapes.map((_, index) => inWords(properties[`${index}`])),
    named: Object.fromEntries(named.map(([name, schema]) => [name, inWords(schema)])),
  };
}

interface Spelling {
  readonly io: 'input' | 'output';
  /** Definitions that any JSON fits. */
  readonly anything: readonly string[];
}

/** Translates a schema into the form of this document, at every depth. */
function spell(schema: JsonSchema, spelling: Spelling): JsonSchema {
  const members = Object.entries(schema).map(([keyword, value]) => [keyword, inside(keyword, value, spelling)]);
  const rewrites = [reference, rules, nullable, ...(spelling.io === 'output' ? [withoutRepetition] : [])];
  return rewrites.reduce<JsonSchema>((sum, rewrite) => rewrite(sum, spelling), Object.fromEntries(members));
}

/** Only some keywords contain schemas: an example or an enum may look like one. */
function inside(keyword: string, value: unknown, spelling: Spelling): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (keyword) {
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
    case 'prefixItems':
      return (value as readonly JsonSchema[]).map((one) => spell(one, spelling));
    case 'items':
    case 'additionalProperties':
    case 'propertyNames':
      return spell(value as JsonSchema, spelling);
    case 'properties':
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spell(one, spelling)]));
    default:
      return value;
  }
}

const DEFINITION = '#/$defs/';

function reference({ $ref, ...rest }: JsonSchema, { anything }: Spelling): JsonSchema {
  if (typeof $ref !== 'string') return $ref === undefined ? rest : { $ref, ...rest };
  const name = $ref.slice(DEFINITION.length);
  return anything.includes(name) ? rest : { $ref: `#/components/schemas/${name}`, ...rest };
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

/** Writes `type: [x, "null"]` if it means the same. */
function nullable({ anyOf, ...outer }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return outer;
  const [inner, nothing, ...more] = anyOf as readonly JsonSchema[];
  const isPlain = more.length === 0 && nothing?.['type'] === 'null' && typeof inner?.['type'] === 'string';
  if (!isPlain) return { anyOf, ...outer };
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
