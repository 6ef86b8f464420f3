/** Values for the properties of flags, strategies, variants and tags. */
import * as value from './values.ts';
import { type Properties, type ValueRow, within } from './values.ts';

const INVALID = '400 ValidationError';
const MISSING = '404 NotFoundError';

export const metadata: Properties = {
  description: [...value.nullable, ...value.text(4096)],
  type: [...value.nullable, ...value.word('release')],
  impressionData: [...value.nullable, ...value.flag],
  stale: [...value.nullable, ...value.flag],
  lifetimeDays: [...value.nullable, ...value.positive(3650)],
};

const context = { contextName: 'userId', values: ['1'] };

const variant: Properties = {
  name: [...value.required, ...value.name],
  weightType: [...value.notNull, ...value.word('variable'), ['the only one is fixed', '"fix"', INVALID]],
  weight: [...value.notNull, ...value.integer(1000)],
  stickiness: [...value.notNull, ...value.text(100)],
  payload: [
    ...value.nullable,
    ['no type', '{"value":"x"}', INVALID],
    ['a property that payloads do not have', '{"type":"string","value":"x","x":1}', INVALID],
    ['JSON that is none', '{"type":"json","value":"{"}', INVALID],
    ['a text', '"x"', INVALID],
    ['a list', '[]', INVALID],
  ],
  'payload/type': [...value.required, ...value.word('string')],
  'payload/value': [...value.required, ...value.text(65_536)],
  overrides: [...value.nullable, ...value.listOf(() => context, 100)],
  'overrides/0/contextName': [...value.required, ...value.text(100)],
  'overrides/0/values': [...value.required, ...value.listOf((n) => `v${n}`, 250)],
  'overrides/0/values/0': value.term(100),
};

const constraintFields: Properties = {
  contextName: [...value.required, ...value.term(100)],
  operator: [...value.required, ...value.word('in')],
  values: [
    ['left out, though IN needs some', undefined, INVALID],
    ['null, though IN needs some', 'null', INVALID],
    ['none, though IN needs some', '[]', INVALID],
    ...value.listOf((n) => `v${n}`, 250),
  ],
  'values/0': value.term(100),
  caseInsensitive: [...value.notNull, ...value.flag],
  inverted: [...value.notNull, ...value.flag],
};

/** Rows for a constraint with another operator. */
const operand = (operator: string, good: readonly string[], bad: readonly string[]): ValueRow[] =>
  value
    .operands(good, [...bad, '""', '"x"', 'true', '[]', 'null', '1e400', '"\\u0000"'])
    .map(([what, json, want]) => [
      `${operator} ${what}`,
      `{"contextName":"currentTime","operator":"${operator}","value":${json}}`,
      want,
    ]);
const operators: readonly ValueRow[] = [
  ...operand(
    'NUM_EQ',
    ['1', '-1.5', '"1e400"', '"+0.5"', '9007199254740993'],
    ['"+.5"', '"NaN"', '"Infinity"', '"0x10"', '" 1"', '"1_0"', '"\u0665"', `"${'1'.repeat(51)}"`],
  ),
  ...operand(
    'DATE_AFTER',
    ['"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00.000+01:00"'],
    ['"2026-01-31"', '"31.01.2026"', '"2026-31-01"', '"tomorrow"', '1767225600'],
  ),
  ...operand('SEMVER_GT', ['"1.2.3"', '"1.2.3-rc.1+5"'], ['"v1.2.3"', '"1.2"', '"01.2.3"', '"1.2.3-01"', '1.2']),
  ['REGEX that RE2 takes', '{"contextName":"c","operator":"REGEX","value":"^a+$"}', 'good'],
  ['REGEX that RE2 rejects', '{"contextName":"c","operator":"REGEX","value":"("}', INVALID],
];

const fresh = (n: number) => ({ name: `v${n}` });
const constraintOf = () => ({ contextName: 'userId', operator: 'IN', values: ['1'] });
/** The properties of a list of constraints, except whether the list may be left out. */
export const constraints: Properties = {
  constraints: value.listOf(constraintOf, 30),
  ...within('constraints/0', constraintFields),
  'constraints/0': operators,
};

/** Values that are not valid times. */
export const pointInTime: readonly ValueRow[] = [
  ['a time without a zone', '"2026-01-01T00:00:00"', INVALID],
  ['a time without seconds', '"2026-01-01T00:00Z"', INVALID],
  ['a day', '"2026-01-01"', INVALID],
  ['a month that there is not', '"2026-13-01T00:00:00Z"', INVALID],
  ['a day that there is not', '"2026-02-30T00:00:00Z"', INVALID],
  ['a word', '"tomorrow"', INVALID],
  ['an empty text', '""', INVALID],
  ['a number', '1767225600', INVALID],
  ['a list', '["2026-01-01T00:00:00Z"]', INVALID],
];

const rampOf = (steps: string) => `{"startAt":"2026-01-01T00:00:00Z","steps":[${steps}]}`;

export const strategy: Properties = {
  ramp: [
    ...value.nullable,
    ['two steps', rampOf('{"rollout":5,"for":"24h"},{"rollout":100}'), 'good'],
    ['no steps', rampOf(''), 'good'],
    ['a step without its duration', rampOf('{"rollout":5},{"rollout":100}'), INVALID],
    ['a last step with a duration', rampOf('{"rollout":5,"for":"24h"}'), INVALID],
    ['a duration in days', rampOf('{"rollout":5,"for":"1d"},{"rollout":100}'), INVALID],
    ['a percentage of 101', rampOf('{"rollout":101}'), INVALID],
    [
      '21 steps',
      rampOf([...Array.from({ length: 20 }, () => '{"rollout":5,"for":"1h"}'), '{"rollout":6}'].join()),
      INVALID,
    ],
    ['a start that is no time', '{"startAt":"soon"}', INVALID],
    ['a text', '"x"', INVALID],
    ['a list', '[]', INVALID],
  ],
  title: [...value.nullable, ...value.text(200)],
  disabled: [...value.nullable, ...value.flag],
  sortOrder: [...value.nullable, ...value.integer(2_147_483_647)],
  parameters: [...value.nullable, ...value.preserveNulls],
  'parameters/rollout': [...value.nullable, ...value.percentage],
  'parameters/anything': value.anything,
  ...constraints,
  constraints: [...value.nullable, ...(constraints['constraints'] ?? [])],
  variants: [...value.nullable, ...value.listOf(fresh, 14)],
  ...within('variants/0', variant),
  segments: [
    ...value.nullable,
    ['one that there is not', '[1]', MISSING],
    ['a number beyond 2^53', '[9007199254740993]', INVALID],
    ['half a number', '[1.5]', INVALID],
    ['a number in text', '["1"]', INVALID],
    ['a text', '"x"', INVALID],
  ],
  id: [...value.nullable, ['anything: it never counts', '{"a":[1]}', 'good']],
};

export const strategyName = value.name.map(([what, json]): ValueRow => [what, json, INVALID]);

export const variantsIn = (place: string, most: number): Properties => ({
  ...within(place === '' ? '0' : `${place}/0`, variant),
  ...(place === '' ? {} : { [place]: [...value.required, ...value.listOf(fresh, most)] }),
});

const tagPart = (most: number): ValueRow[] => [
  ...value.required,
  [`${most} characters`, JSON.stringify('x'.repeat(most)), 'good'],
  [`${most + 1} characters`, JSON.stringify('x'.repeat(most + 1)), INVALID],
  ['one character', '"x"', INVALID],
  ['an empty text', '""', INVALID],
  ['a line break', '"a\\nb"', INVALID],
  ['half of a surrogate pair', '"\\ud83d\\ud83d"', INVALID],
  ['a number', '12', INVALID],
  ['a list', '["simple"]', INVALID],
];
export const tagFields: Properties = {
  type: [
    ...tagPart(50),
    ['all that a URL takes', '"aZ0-_.!~*\'()"', 'good'],
    ['a colon', '"a:b"', INVALID],
    ['a blank', '"a b"', INVALID],
    ['é composed (NFC)', '"\u00e9\u00e9"', INVALID],
  ],
  value: [
    ...tagPart(50),
    ['a colon and a slash', '"a:b/c"', 'good'],
    ['é decomposed (NFD)', '"e\u0301"', 'good'],
    ['two emoji', '"🚩🚩"', 'good'],
    ['50 emoji', JSON.stringify('🚩'.repeat(50)), 'good'],
    ['51 emoji', JSON.stringify('🚩'.repeat(51)), INVALID],
    ['__proto__', '"__proto__"', 'good'],
  ],
};
/** One of the tags exists already, and a flag may have 100. */
const tagOf = (n: number) => ({ type: 'simple', value: n === 0 ? 'present' : `v${n}` });
export const tagLists: Properties = {
  addedTags: [...value.nullable, ...value.listOf(tagOf, 100)],
  removedTags: [...value.nullable, ...value.listOf(tagOf, 100)],
  ...within('addedTags/0', tagFields),
  ...within('removedTags/0', tagFields),
};
