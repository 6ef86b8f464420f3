/** Writes the fields of a flag for the forms and pages of the console, from the OpenAPI document. */
import { describeApi, type Section } from '../src/http/route/openapi/describe-api.ts';

interface Schema {
  readonly type: string | readonly string[];
  readonly description: string;
  readonly enum?: readonly (string | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

const HEAD = `import type { FlagField } from './flag-field.ts';

`;

/** Returns the text of console/src/feature/fields/flag-fields.generated.ts. */
export function consoleFields(sections: readonly Section[]): string {
  const { schemas } = describeApi(sections, '0.0.0').components;
  // The name of a flag cannot be changed.
  const { name: _, ...fields } = propertiesOf(schemas['UpdateFeature']);
  const created = propertiesOf(schemas['CreateFeature']);
  const missing = Object.keys(fields).filter((name) => !(name in created));
  if (missing.length > 0) throw new Error(`CreateFeature lacks properties of UpdateFeature: ${missing.join(', ')}`);
  const rows = Object.entries(fields).map(([name, schema]) => `  ${JSON.stringify(rowOf(name, schema))},\n`);
  return `${HEAD}export const flagFields: readonly FlagField[] = [\n${rows.join('')}];\n`;
}

function propertiesOf(schema: unknown): Readonly<Record<string, Schema>> {
  return (schema as { readonly properties: Readonly<Record<string, Schema>> }).properties;
}

function rowOf(name: string, schema: Schema) {
  const { type, description: hint, enum: choices, minimum, maximum, maxLength } = schema;
  const [kind] = [type].flat();
  if (choices) return { name, kind: 'choice', hint, choices: choices.filter((one) => one !== null) };
  if (kind === 'boolean') return { name, kind, hint };
  if (kind === 'integer') return { name, kind, hint, minimum, maximum };
  if (kind === 'string') return { name, kind: 'text', hint, maxLength };
  throw new Error(`the console has no input for the field "${name}" of a flag, which is of the type ${kind}`);
}
