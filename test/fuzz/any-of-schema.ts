/** Values that fit a JSON schema, often at its bounds. */
import fc, { type Arbitrary } from 'fast-check';
import { referredTo, type Schema } from './operations.ts';

type Components = Parameters<typeof referredTo>[0];

/** Texts that the server knows, so that requests pass its first checks. */
export interface Vocabulary {
  readonly texts: readonly string[];
  /** Texts that the server knows in a property, by the name of the property. */
  readonly of: Readonly<Record<string, readonly string[]>>;
  /** Keys for objects that may have any key. */
  readonly keys: readonly string[];
  /** The keys for the object in a property, by the name of the property. */
  readonly keysOf: Readonly<Record<string, readonly string[]>>;
  /** Whole numbers that the server knows in a property, by the name of the property. */
  readonly numbersOf: Readonly<Record<string, readonly number[]>>;
  /** Texts that stand for times that the server knows. */
  readonly times: readonly string[];
}

export interface SchemaParts {
  readonly components: Components;
  readonly vocabulary: Vocabulary;
  /** The name of the property that the value is for. */
  readonly property?: string;
}

/** The number of items of a list that has no bound of its own. */
const MAX_ITEMS = 4;

/** Unusual JSON texts: parts of characters, zero bytes, right-to-left text, and names that every object has. */
const oddTexts = ['', ' ', '\u0000', '\ud800', '😀', 'e\u0301', '\u202eabc', '\ufeff', '__proto__', 'constructor'];

export function anyOfSchema(schema: Schema, parts: SchemaParts): Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, type, ...rest } = schema;
  if (typeof $ref === 'string') return anyOfSchema(referredTo(parts.components, $ref) as Schema, parts);
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => anyOfSchema(choice, parts)));
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => ofType({ ...rest, type: one }, parts)));
  return ofType(schema, parts);
}

function ofType(schema: Schema, parts: SchemaParts): Arbitrary<unknown> {
  switch (schema['type']) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integer(schema, parts);
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'string':
      return text(schema, parts);
    case 'array':
      return list(schema, parts);
    case 'object':
      return record(schema, parts);
    default:
      return anything(parts.vocabulary);
  }
}

function anything({ texts }: Vocabulary): Arbitrary<unknown> {
  const some = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, 2 ** 53, '', [], {}, ...texts, ...oddTexts);
  return fc.oneof({ weight: 3, arbitrary: some }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) });
}

function integer(
  { minimum = -(2 ** 31), maximum = 2 ** 31 }: Schema,
  { vocabulary, property = '' }: SchemaParts,
): Arbitrary<number> {
  const [min, max] = [minimum as number, maximum as number];
  return fc.oneof(
    ...oneOf(6, vocabulary.numbersOf[property] ?? []),
    fc.integer({ min, max: Math.min(max, min + 40) }),
    fc.constantFrom(min, max),
    fc.integer({ min, max }),
  );
}

/** Most patterns of times allow days that do not exist. */
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

function text(schema: Schema, { vocabulary, property = '' }: SchemaParts): Arbitrary<string> {
  const {
    minLength = 0,
    maxLength = 1000,
    pattern,
    format,
  } = schema as {
    minLength?: number;
    maxLength?: number;
    pattern?: string;
    format?: string;
  };
  if (format === 'date-time') return fc.oneof(time, ...oneOf(4, vocabulary.times));
  const fits = (one: string) => {
    const { length } = [...one];
    return length >= minLength && length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(one));
  };
  const free = pattern === undefined ? freeText(minLength, maxLength) : matching(pattern).filter(fits);
  const meant = (vocabulary.of[property] ?? []).filter(fits);
  const known = [...vocabulary.texts, ...oddTexts].filter(fits);
  return fc.oneof(...oneOf(12, meant), ...oneOf(3, known), { weight: 3, arbitrary: free });
}

function oneOf<T>(weight: number, values: readonly T[]) {
  return values.length === 0 ? [] : [{ weight, arbitrary: fc.constantFrom(...values) }];
}

function freeText(minLength: number, maxLength: number): Arbitrary<string> {
  const few = Math.min(maxLength, minLength + 20);
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ minLength, maxLength: few }) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength, maxLength: few }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
    { weight: 1, arbitrary: fc.constant('é'.repeat(maxLength)) },
  );
}

/** fast-check cannot generate lookaheads; a filter applies them. */
function matching(pattern: string): Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?!.*?\$\)/g, ''), 'u'));
}

function list(schema: Schema, parts: SchemaParts): Arbitrary<unknown[]> {
  const { minItems = 0, maxItems, items = {} } = schema as { minItems?: number; maxItems?: number; items?: Schema };
  const item = anyOfSchema(items, parts);
  const short = fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems ?? MAX_ITEMS, MAX_ITEMS) });
  if (maxItems === undefined) return short;
  const full = item.map((one) => Array.from({ length: maxItems }, () => one));
  return fc.oneof({ weight: 30, arbitrary: short }, { weight: 1, arbitrary: full });
}

function record(schema: Schema, parts: SchemaParts): Arbitrary<object> {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
    additionalProperties?: boolean | Schema;
  };
  const members = Object.entries(properties).map(
    ([property, one]) => [property, anyOfSchema(one, { ...parts, property })] as const,
  );
  const named = fc.record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true });
  if (additionalProperties === false) return named;
  const { keysOf, keys: anyKeys } = parts.vocabulary;
  const keys = keysOf[parts.property ?? ''] ?? anyKeys;
  const isShaped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  const value = isShaped ? anyOfSchema(additionalProperties, parts) : anything(parts.vocabulary);
  const more = fc.dictionary(fc.constantFrom(...keys, ...oddTexts), value, { maxKeys: 3 });
  return fc.tuple(named, fc.option(more, { freq: 2, nil: {} })).map(([one, other]) => ({ ...other, ...one }));
}
