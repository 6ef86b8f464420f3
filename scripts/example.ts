/** Builds an example for a schema: its own example, or one composed of the examples of its parts. */

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** `named` contains the schemas below `#/components/schemas`. */
export function exampleOf(schema: Schema, named: Schemas): unknown {
  const { $ref, examples, allOf, oneOf, anyOf } = schema as Readonly<Record<string, readonly Schema[] | undefined>>;
  if (examples) return examples[0];
  if (typeof $ref === 'string') return exampleOf(target($ref, named), named);
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, named)));
  const [alternative] = oneOf ?? anyOf ?? [];
  return alternative ? exampleOf(alternative, named) : plain(schema, named);
}

function target($ref: string, named: Schemas): Schema {
  const found = named[$ref.slice($ref.lastIndexOf('/') + 1)];
  if (!found) throw new Error(`${$ref} does not exist`);
  return found;
}

function plain(schema: Schema, named: Schemas): unknown {
  const { type, items, minimum } = schema;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return members(schema, named);
    case 'array':
      return items === undefined ? [] : [exampleOf(items as Schema, named)];
    case 'integer':
    case 'number':
      return minimum ?? 0;
    case 'boolean':
      return false;
    case 'string':
      return text(schema);
    default:
      return null;
  }
}

/** The members that are required or have an example. */
function members({ properties = {}, required = [] }: Schema, named: Schemas): object {
  const shown = Object.entries(properties as Schemas).filter(
    ([name, { examples, const: constant }]) => (required as readonly string[]).includes(name) || examples || constant,
  );
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, named)]));
}

function text({ format }: Schema): string {
  if (format === 'uuid') return '2f1b9c1e-8f5a-4f0e-9a53-6d2f0f2a7c11';
  return format === 'date-time' ? '2026-03-01T09:30:00.000Z' : 'text';
}
