/** The generated schemas are structural, bounded and described. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { customResourceDefinition } from '../../../../scripts/crd.ts';
import { kindPage } from '../../../../scripts/kind-page.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { mapOf, setOf, text } from '../../../../src/schema/fields/shapes.ts';
import { kinds } from '../../../../src/schema/kinds.ts';
import { editorSchema } from '../../../../src/schema/structural/editor-schema.ts';
import { objectSchema } from '../../../../src/schema/structural/object-schema.ts';
import { type StructuralSchema, structuralSchema } from '../../../../src/schema/structural/structural-schema.ts';

const short = z.string().max(5);
const inSpec = (schema: z.ZodType) => () => structuralSchema(z.object({ a: z.object({ b: schema }) }), 'Kind.spec');

describe('the generator refuses, with the path', () => {
  test.each<[string, z.ZodType, RegExp]>([
    ['a string without bound', z.string(), /^Kind\.spec\.a\.b: every string, list and map needs a bound/],
    ['a string with a pattern alone', z.string().regex(/^a+$/), /^Kind\.spec\.a\.b: .*bound/],
    ['a list without bound', z.array(short), /^Kind\.spec\.a\.b: .*bound/],
    ['an entry of a list without bound', z.array(z.string()).max(3), /^Kind\.spec\.a\.b\[\]: .*bound/],
    ['a map without bound', z.record(z.string(), short), /^Kind\.spec\.a\.b: .*bound/],
    ['a value of a map without bound', mapOf(z.string(), 3, 'd'), /^Kind\.spec\.a\.b\.\*: .*bound/],
    ['a union of objects', z.union([z.object({ c: short }), z.object({ d: short })]), /^Kind\.spec\.a\.b: .*"anyOf"/],
    ['a union of scalars', z.union([short, z.boolean()]), /^Kind\.spec\.a\.b: .*"anyOf"/],
    ['a default, as absent stays absent', short.default('x'), /^Kind\.spec\.a\.b: .*"default"/],
    ['an id', short.meta({ id: 'Shared' }), /^Kind\.spec: .*"definitions"/],
    ['a number without a type of Kubernetes', z.number().multipleOf(3), /^Kind\.spec\.a\.b: .*"multipleOf"/],
  ])('%s', (_, schema, want) => {
    expect(inSpec(schema)).toThrow(want);
  });
});

describe('the generator accepts', () => {
  test.each<[string, z.ZodType, object]>([
    ['an enum without a bound of its own', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a set', setOf(short, 3, 'd'), { type: 'array', maxItems: 3, 'x-kubernetes-list-type': 'set', nullable: true }],
    ['a map', mapOf(short, 3, 'd'), { type: 'object', maxProperties: 3, additionalProperties: { maxLength: 5 } }],
    ['what is free-form', z.looseObject({ c: short }), { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a text with its description', text(7, 'says'), { type: 'string', maxLength: 7, description: 'says' }],
  ])('%s', (_, schema, want) => {
    expect(inSpec(schema)().properties?.['a']?.properties?.['b']).toMatchObject(want);
  });
});

/** Returns each schema with its path. */
function everySchema(path: string, schema: StructuralSchema): [string, StructuralSchema][] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, value]) => everySchema(`${path}.${name}`, value)),
    ...(items ? everySchema(`${path}[]`, items) : []),
    ...(additionalProperties ? everySchema(`${path}.*`, additionalProperties) : []),
  ];
}

describe.each(kinds)('$kind', (kind) => {
  const schemas = everySchema(kind.kind, objectSchema(kind));
  const spec = schemas.filter(([path]) => path.startsWith(`${kind.kind}.spec`));

  test('every field of the spec has a description for kubectl explain', () => {
    const bare = spec.filter(([path, { description }]) => /\.\w+$/.test(path) && !description).map(([path]) => path);
    expect(bare).toEqual([]);
  });

  test('every map and list of the spec may be null, because the server leaves null when the last owner left', () => {
    const strict = spec
      .filter(([, schema]) => schema.type === 'array' || schema.additionalProperties)
      .filter(([, { nullable }]) => !nullable)
      .map(([path]) => path);
    expect(strict.filter((path) => !/(overrides\[\]\.values|freezes\[\]\.days)$/.test(path))).toEqual([]);
  });

  test('no field of the spec has a default: absent stays absent', () => {
    expect(JSON.stringify(spec)).not.toContain('"default":');
  });

  test('every rule has a message', () => {
    const rules = schemas.flatMap(([, schema]) => schema['x-kubernetes-validations'] ?? []);
    expect(rules.filter(({ message }) => !message)).toEqual([]);
    expect(rules.length).toBeGreaterThan(0);
  });

  test('the definition has a status subresource, and the category of all kinds', () => {
    const { names, versions } = customResourceDefinition(kind).spec;
    expect(versions.map(({ subresources }) => subresources)).toEqual([{ status: {} }, { status: {} }]);
    expect(names.categories).toEqual(['vexil']);
  });

  test('the page names every field of the spec that has a description', () => {
    const page = kindPage(kind, objectSchema(kind));
    for (const [path, { description }] of spec) {
      const shown = path.slice(kind.kind.length + 1).replaceAll('*', '<key>');
      if (description && shown !== 'spec') expect(page).toContain(`\`${shown}\``);
    }
  });
});

describe('the schema for editors', () => {
  const schema = JSON.parse(JSON.stringify(editorSchema('FeatureFlag', objectSchema(featureFlag))));

  test('refuses unknown fields, except in free-form maps', () => {
    const { environments } = schema.properties.spec.properties;
    expect(schema.properties.spec.additionalProperties).toBe(false);
    const { strategies } = environments.additionalProperties.properties;
    expect(strategies.additionalProperties.additionalProperties).toBe(false);
    expect(strategies.additionalProperties.properties.parameters.additionalProperties).toBeUndefined();
  });

  test('has nullable and int-or-string in a form that editors know', () => {
    const text = JSON.stringify(schema);
    expect(text).not.toContain('nullable');
    expect(text).not.toContain('x-kubernetes');
    expect(schema.properties.spec.properties.tags.type).toEqual(['array', 'null']);
    expect(text).toContain('["integer","string","null"]');
  });

  test('has the kind that it is for', () => {
    expect(schema.properties.kind).toEqual({ const: 'FeatureFlag' });
    expect(schema.properties.apiVersion).toEqual({ enum: ['vexil.dev/v1beta1', 'vexil.dev/v1alpha1'] });
  });
});

test.each(kinds)('the definition of $kind fits into the annotation of kubectl apply', (kind) => {
  // The limit of all annotations of an object. The rest is for those of tools.
  expect(JSON.stringify(customResourceDefinition(kind)).length).toBeLessThan(0.75 * 262_144);
});
