/** Whether the definitions accept everything that the definitions of earlier releases accepted. */
import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../../src/schema/structural/structural-schema.ts';
import { CURRENT_DEFINITIONS, definitionsIn, frozen, frozenPath } from '../../support/releases/frozen.ts';
import { type Definition, narrowedDefinition } from '../../support/releases/narrowed.ts';

/** Findings that a person has reviewed, with the reason why no stored object is affected. */
const HARMLESS: Readonly<Record<string, string>> = {
  'Environment: a new rule at .spec.clone: spec.clone is immutable, and only a new environment can be a clone: create another environment':
    'spec.clone is new with it',
  'Environment: a new rule at .spec.clone.from: spec.clone.from names this environment itself: name the one that is to be copied':
    'spec.clone is new with it',
  'FeatureFlag: a new rule at .spec.dependencies: a flag cannot depend on itself: name another flag':
    'spec.dependencies is new with it',
  'FeatureFlag.spec.environments.*: a new rule at .activeUntil: activeUntil must be after activeFrom':
    'activeUntil is new with it',
  'FeatureFlag.spec.environments.*.strategies.*: a new rule at .ramp: only a strategy of type flexibleRollout can have a ramp':
    'ramp is new with it',
  ...stricter('strategies.*.parameters.rollout', [
    'pattern was ^(100([.]0+)?|[0-9]{1,2}([.][0-9]+)?)$, is ^(100|[0-9]{1,2})$',
  ]),
  ...stricter('strategies.*.constraints[]', [
    'a new rule: the operators IN, NOT_IN, IN_CIDR and STR_… need at least one entry in values',
    'a new rule: the operators NUM_… need a number that begins with a digit, such as 0.5, in value',
    'a new rule: the operators DATE_… need a date with time and zone, such as 2026-01-31T12:00:00Z, in value',
    'a new rule: the operators SEMVER_… need a semantic version such as 1.2.3 in value',
    'a new rule: the operator REGEX needs a regular expression that RE2 accepts in value',
    'a new rule at .contextName: contextName must have no double quote and no backslash at its end: many SDKs switch the whole flag off',
    'a new rule at .contextName: the operators DATE_… need contextName currentTime: SDKs disagree about any other field',
  ]),
  ...stricter('strategies.*.constraints[].values[]', [String.raw`pattern was none, is ^([\s\S]*[^\\])?$`]),
};

/** Findings that affect only new values: test/integration/upgrade.test.ts writes objects that have old ones. */
function stricter(place: string, findings: readonly string[]): Readonly<Record<string, string>> {
  const titles = findings.map((finding) => `FeatureFlag.spec.environments.*.${place}: ${finding}`);
  return Object.fromEntries(titles.map((title) => [title, 'the API server does not check unchanged values again']));
}

test.each(frozen('schema-'))(
  'the definitions accept the objects that %s accepted, and drop no field',
  async (release) => {
    const [before, after] = await Promise.all([
      definitionsIn(frozenPath(release, 'crds')),
      definitionsIn(CURRENT_DEFINITIONS),
    ]);
    const findings = [...before].flatMap(([file, definition]) => narrowedDefinition(definition, after.get(file)));
    expect(findings.filter((one) => !(one in HARMLESS))).toEqual([]);
  },
);

const text: StructuralSchema = { type: 'string', maxLength: 10 };
const list: StructuralSchema = { type: 'array', maxItems: 5, items: text, 'x-kubernetes-list-type': 'atomic' };

function definition(
  properties: Record<string, StructuralSchema>,
  more: StructuralSchema = {},
  names = { kind: 'Thing', plural: 'things', shortNames: ['th'] },
): Definition {
  const openAPIV3Schema: StructuralSchema = { type: 'object', properties, ...more };
  return {
    spec: { scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, schema: { openAPIV3Schema } }] },
  };
}

/** The same field before and after, and the expected finding. */
const changes: readonly [string, StructuralSchema, StructuralSchema | undefined, readonly string[]][] = [
  ['a field that stays', text, text, []],
  ['a field with new words', text, { ...text, description: 'new' }, []],
  ['a wider bound', text, { ...text, maxLength: 11 }, []],
  ['a bound that goes', { ...text, minLength: 1 }, text, []],
  ['a value more', { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a', 'b'] }, []],
  ['a field that goes', text, undefined, ['Thing.field is gone']],
  ['another type', text, { type: 'integer', maxLength: 10 }, ['Thing.field: the type was string, is integer']],
  ['a lower bound', text, { ...text, maxLength: 9 }, ['Thing.field: maxLength was 10, is 9']],
  ['a bound where none was', text, { ...text, minLength: 1 }, ['Thing.field: minLength was none, is 1']],
  ['a pattern', text, { ...text, pattern: '^a' }, ['Thing.field: pattern was none, is ^a']],
  ['null no more', { ...text, nullable: true }, text, ['Thing.field: null is refused']],
  [
    'a value less',
    { type: 'string', enum: ['a', 'b'] },
    { type: 'string', enum: ['a'] },
    ['Thing.field: "b" is refused'],
  ],
  ['an enumeration', text, { ...text, enum: ['a'] }, ['Thing.field: only some values are allowed']],
  [
    'a bound inside of a list',
    list,
    { ...list, items: { ...text, maxLength: 1 } },
    ['Thing.field[]: maxLength was 10, is 1'],
  ],
  ['a set', list, { ...list, 'x-kubernetes-list-type': 'set' }, ['Thing.field: the list was atomic, is set']],
  [
    'a field inside of a map',
    { type: 'object', additionalProperties: { type: 'object', properties: { one: text } } },
    { type: 'object', additionalProperties: { type: 'object', properties: {} } },
    ['Thing.field.*.one is gone'],
  ],
  [
    'a map that becomes an object',
    { type: 'object', additionalProperties: text },
    { type: 'object', properties: { one: text } },
    ['Thing.field: its entries go'],
  ],
  [
    'an object that stays open',
    { type: 'object', properties: { one: text } },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    [],
  ],
  [
    'an object that closes',
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', properties: { one: text } },
    ['Thing.field: other fields go'],
  ],
  [
    'a rule',
    text,
    { ...text, 'x-kubernetes-validations': [{ rule: "self != ''", message: 'must not be empty' }] },
    ['Thing.field: a new rule: must not be empty'],
  ],
];

describe('a change of a field', () => {
  test.each(changes)('%s', (_, before, after, want) => {
    const now = definition(after ? { field: after } : {});
    expect(narrowedDefinition(definition({ field: before }), now)).toEqual(want);
  });
});

const other = { kind: 'Thing', plural: 'thingies', shortNames: [] };

test.each([
  ['a kind that goes', definition({}), undefined, ['Thing is gone']],
  [
    'other names',
    definition({}),
    definition({}, {}, other),
    ['Thing: spec.names.plural is another', 'Thing: the short name th is gone'],
  ],
  ['a new field', definition({}), definition({ field: text }), []],
  [
    'a new field that must be there',
    definition({}),
    definition({ field: text }, { required: ['field'] }),
    ['Thing: field is required'],
  ],
])('a change of a definition: %s', (_, before, after, want) => {
  expect(narrowedDefinition(before, after)).toEqual(want);
});
