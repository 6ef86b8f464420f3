/** Specs of flags at both sides of each rule, pattern and bound about strategies. */
import { fits, long, many, manyKeys, refused, type SpecRow } from './spec-row.ts';

const keyed = (strategies: unknown) => ({ environments: { production: { strategies } } });
const strategy = (more: object) => keyed({ s: { name: 'default', ...more } });
const rollout = (value: unknown) => strategy({ parameters: { rollout: value } });
const ramped = (steps: unknown, more: object = {}) =>
  strategy({ name: 'flexibleRollout', ramp: { ...(steps !== undefined && { steps }), ...more } });
const constraint = (more: object) => strategy({ constraints: [{ contextName: 'userId', ...more }] });

/** The path in findings of a schema, and in findings of a rule: the API server writes keys of maps in two ways. */
const place = 'spec.environments.production.strategies';
const ruled = 'spec.environments[production].strategies';

const keys: readonly (readonly [string, boolean])[] = [
  ['a', true],
  ['staff-first', true],
  ['0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11', true],
  [long(63), true],
  ['', false],
  [long(64), false],
  ['-a', false],
  ['a-', false],
  ['A', false],
  ['a.b', false],
  ['a_b', false],
  ['a\n', false],
];

const keyRows = keys.map(([key, ok]): SpecRow => {
  const title = `key of a strategy ${JSON.stringify(key)}`;
  const spec = keyed({ [key]: { name: 'default' } });
  return ok ? fits(title, spec) : refused(title, spec, [ruled, 'must be a DNS label']);
});

const rollouts: readonly (readonly [unknown, boolean])[] = [
  [0, true],
  [25, true],
  [100, true],
  ['0', true],
  ['07', true],
  ['100', true],
  [null, true],
  [-1, false],
  [101, false],
  [12.5, false],
  ['', false],
  ['101', false],
  ['100.5', false],
  ['-1', false],
  ['1e1', false],
  [' 5', false],
  ['5%', false],
  ['5\n', false],
  [`1.${long(20, '0')}`, false],
  [true, false],
  [{}, false],
];

const rolloutRows = rollouts.map(([value, ok]): SpecRow => {
  const title = `rollout ${JSON.stringify(value)}`;
  return ok
    ? fits(title, rollout(value))
    : refused(title, rollout(value), [
        `${place}.s.parameters.rollout`,
        /should match|less than or equal to 100|greater than or equal to 0|integer|Too long|should be at least/,
      ]);
});

/** Earlier versions accepted these. The API server rejects new ones; a stored one is read and gets a warning. */
export const laterRows: readonly SpecRow[] = [
  ...['12.5', '100.0', '07.0'].map((value) =>
    refused(`rollout ${value}`, rollout(value), [`${place}.s.parameters.rollout`, 'should match']),
  ),
  ...['.5', '-.5', '+.5e1'].map((value) => operandRow('NUM_EQ', value)),
  ...[
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00.1Z',
    '2026-01-31T12:00:00.123456Z',
    '2026-13-01T12:00:00Z',
    '2026-01-32T12:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T12:60:00Z',
  ].map((value) => operandRow('DATE_AFTER', value)),
  ...['1.2.3-.', '1.2.3-a..b', '1.2.3-01', '1.2.3+a..b'].map((value) => operandRow('SEMVER_EQ', value)),
  ...['a"b', 'a\\'].flatMap((text) => [
    refused(`contextName ${text}`, strategy({ constraints: [{ contextName: text, operator: 'IN', values: ['1'] }] }), [
      `${ruled}[s].constraints[0].contextName`,
      'must have no double quote',
    ]),
    ...['groupId', 'stickiness'].map((name) =>
      refused(`${name} ${text}`, strategy({ parameters: { [name]: text } }), [
        `${place}.s.parameters.${name}`,
        'should match',
      ]),
    ),
  ]),
  refused('an entry of values that ends in a backslash', constraint({ operator: 'IN', values: ['a', 'b\\'] }), [
    `${place}.s.constraints[0].values[1]`,
    'should match',
  ]),
  refused(
    'a date of another field',
    constraint({ contextName: 'birthday', operator: 'DATE_AFTER', value: '2026-01-31T12:00:00Z' }),
    [`${ruled}[s].constraints[0].contextName`, 'need contextName currentTime'],
  ),
];

function operandRow(operator: string, value: string): SpecRow {
  const spec = constraint({ contextName: 'currentTime', operator, value });
  return refused(`${operator} ${value}`, spec, [`${ruled}[s].constraints[0]`, /the operators \w+_… need .* in value/]);
}

/** The RE2 of the API server decides; the program reads what is stored. */
export const patternRows: readonly SpecRow[] = ['(', 'a{2,1}', '(?=a)', '\\'].map((value) =>
  refused(`REGEX ${value}`, constraint({ operator: 'REGEX', value }), [
    `${ruled}[s].constraints[0]`,
    'error parsing regexp',
  ]),
);

const operands: readonly (readonly [string, string, boolean])[] = [
  ...['5', '-5', '+5.25', '0.5', '5.', '1e3', '1E-3'].map((value) => ['NUM_EQ', value, true] as const),
  ...['', 'five', '5 ', '0x10', '1,5', 'NaN', '5\n', '--5', '.'].map((value) => ['NUM_EQ', value, false] as const),
  ...['NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].flatMap(
    (operator) =>
      [
        [operator, '5', true],
        [operator, 'five', false],
      ] as const,
  ),
  ...['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123Z', '2026-01-31T12:00:00+01:00'].map(
    (value) => ['DATE_AFTER', value, true] as const,
  ),
  ...['', '31.01.2026', '2026-1-31', '2026-01-31 12:00', 'tomorrow', '2026-01-31T12:00:00Z\n'].map(
    (value) => ['DATE_AFTER', value, false] as const,
  ),
  ['DATE_BEFORE', '2026-01-31T00:00:00-05:30', true],
  ['DATE_BEFORE', 'never', false],
  ...['1.2.3', '0.0.0', '1.2.3-rc.1', '1.2.3-0a.-', '1.2.3+build.05', '1.2.3-rc+b-'].map(
    (value) => ['SEMVER_EQ', value, true] as const,
  ),
  ...['', 'v1.2.3', '1.2.3-', '1.2.3+', '1.2', '1.2.3.4', '01.2.3', ' 1.2.3'].map(
    (value) => ['SEMVER_EQ', value, false] as const,
  ),
  ['SEMVER_GT', '1.2.3', true],
  ['SEMVER_GT', '1', false],
  ['SEMVER_LT', '1.2.3', true],
  ['SEMVER_GTE', '1.2.3', true],
  ['SEMVER_GTE', '1', false],
  ['SEMVER_LTE', '1.2.3', true],
  ['SEMVER_LTE', '1', false],
  ['SEMVER_LT', 'x', false],
];

const operandRows = operands.map(([operator, value, ok]): SpecRow => {
  const title = `${operator} ${JSON.stringify(value)}`;
  const spec = constraint({ contextName: 'currentTime', operator, value });
  return ok
    ? fits(title, spec)
    : refused(title, spec, [`${ruled}[s].constraints[0]`, /the operators \w+_… need .* in value/]);
});

const listRows = ['IN', 'NOT_IN', 'IN_CIDR', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'].flatMap(
  (operator): SpecRow[] => {
    const want = [`${ruled}[s].constraints[0]`, 'need at least one entry in values'] as const;
    return [
      fits(`${operator} with a value`, constraint({ operator, values: ['1'] })),
      refused(`${operator} without values`, constraint({ operator }), want),
      refused(`${operator} with no value in values`, constraint({ operator, values: [] }), want),
      refused(`${operator} with null for values`, constraint({ operator, values: null }), want),
      refused(`${operator} with value instead of values`, constraint({ operator, value: '1' }), want),
    ];
  },
);

const singleRows = ['NUM_EQ', 'DATE_AFTER', 'SEMVER_EQ', 'REGEX'].map((operator) =>
  refused(`${operator} without value`, constraint({ contextName: 'currentTime', operator, values: ['1.2.3'] }), [
    `${ruled}[s].constraints[0]`,
    'in value',
  ]),
);

export const strategyRows = [
  ...keyRows,
  fits('a strategy that is null', keyed({ s: null })),
  refused('a strategy without a name', keyed({ s: {} }), [`${place}.s.name`, 'Required']),
  refused('a strategy type that is no name', strategy({ name: 'a b' }), [`${ruled}[s].name`, 'URL friendly']),
  fits('a strategy type that nobody knows: it may be defined later', strategy({ name: 'unheard-of' })),
  fits('thirty strategies', keyed(manyKeys(30, { name: 'default' }))),
  refused('too many strategies', keyed(manyKeys(31, { name: 'default' })), [place, '30']),
  fits('the longest title', strategy({ title: long(200) })),
  refused('a title too long', strategy({ title: long(201) }), [`${place}.s.title`, '200']),
  refused('disabled as text', strategy({ disabled: 'yes' }), [`${place}.s.disabled`, 'boolean']),
  fits('sortOrder at its end', strategy({ sortOrder: 2147483647 })),
  refused('sortOrder beyond', strategy({ sortOrder: 2147483648 }), [`${place}.s.sortOrder`, '2147483647']),
  refused('a negative sortOrder', strategy({ sortOrder: -1 }), [`${place}.s.sortOrder`, 'greater than or equal to 0']),
  fits('fourteen variants in a strategy', strategy({ variants: many(14, (n) => ({ name: `v${n}` })) })),
  refused('too many variants in a strategy', strategy({ variants: many(15, (n) => ({ name: `v${n}` })) }), [
    `${place}.s.variants`,
    '14',
  ]),

  fits('any parameters', strategy({ parameters: { groupId: 'g', list: [1, 'a', null], deep: { er: true } } })),
  fits('parameters that are null', strategy({ parameters: null })),
  fits('fifty parameters', strategy({ parameters: manyKeys(50, 'x') })),
  refused('too many parameters', strategy({ parameters: manyKeys(51, 'x') }), [`${place}.s.parameters`, '50']),
  refused('parameters as text', strategy({ parameters: 'rollout=5' }), [`${place}.s.parameters`, 'object']),
  ...rolloutRows,

  ...listRows,
  ...singleRows,
  ...operandRows,
  fits('REGEX with a pattern', constraint({ operator: 'REGEX', value: '^(?i)a+[[:alpha:]]$' })),
  refused('REGEX with an empty pattern', constraint({ operator: 'REGEX', value: '' }), [
    `${ruled}[s].constraints[0]`,
    'the operator REGEX needs',
  ]),
  fits('a group that is a number', strategy({ parameters: { groupId: 5, stickiness: null } })),
  fits('a list for a group, which a type may have', strategy({ parameters: { groupId: ['a'] } })),
  refused('an unknown operator', constraint({ operator: 'EQUALS', value: '1' }), [
    `${place}.s.constraints[0].operator`,
    /Unsupported value.*"IN"/,
  ]),
  refused('a constraint without operator', constraint({}), [`${place}.s.constraints[0].operator`, 'Required']),
  refused('a constraint without context name', strategy({ constraints: [{ operator: 'IN', values: ['1'] }] }), [
    `${place}.s.constraints[0].contextName`,
    'Required',
  ]),
  fits('the longest entry of values', constraint({ operator: 'IN', values: [long(100)] })),
  refused('an entry of values too long', constraint({ operator: 'IN', values: [long(101)] }), [
    `${place}.s.constraints[0].values[0]`,
    '100',
  ]),
  refused('an empty entry of values', constraint({ operator: 'IN', values: [''] }), [
    `${place}.s.constraints[0].values[0]`,
    'at least 1 chars',
  ]),
  fits('250 values', constraint({ operator: 'IN', values: many(250, (n) => `${n}`) })),
  refused('too many values', constraint({ operator: 'IN', values: many(251, (n) => `${n}`) }), [
    `${place}.s.constraints[0].values`,
    '250',
  ]),
  refused('a value too long', constraint({ operator: 'NUM_EQ', value: long(51, '1') }), [
    `${place}.s.constraints[0].value`,
    '50',
  ]),
  refused('a number for a value', constraint({ operator: 'NUM_EQ', value: 5 }), [
    `${place}.s.constraints[0].value`,
    'must be of type string',
  ]),
  fits(
    'thirty constraints',
    strategy({ constraints: many(30, () => ({ contextName: 'a', operator: 'IN', values: ['1'] })) }),
  ),
  refused(
    'too many constraints',
    strategy({ constraints: many(31, () => ({ contextName: 'a', operator: 'IN', values: ['1'] })) }),
    [`${place}.s.constraints`, '30'],
  ),
  fits('segments that are null', strategy({ segments: null })),
  fits('five segments', strategy({ segments: many(5, (n) => `Segment ${n}`) })),
  refused('too many segments', strategy({ segments: many(6, (n) => `s${n}`) }), [`${place}.s.segments`, '5']),
  refused('a segment twice', strategy({ segments: ['a', 'a'] }), [`${ruled}[s].segments[1]`, 'Duplicate']),
  refused('a segment without a name', strategy({ segments: [''] }), [`${place}.s.segments[0]`, 'at least 1 chars']),
  fits('a ramp', ramped([{ rollout: 5, for: '1h30m10s' }, { rollout: 100 }])),
  fits('a ramp that is only started', ramped(undefined, { startAt: '2026-03-01T09:00:00Z' })),
  fits('a ramp without steps', ramped([])),
  fits('twenty steps', ramped([...many(19, (rollout) => ({ rollout, for: '24h' })), { rollout: 100 }])),
  refused('too many steps', ramped([...many(20, (rollout) => ({ rollout, for: '24h' })), { rollout: 100 }]), [
    `${place}.s.ramp.steps`,
    '20',
  ]),
  refused('a step without a duration', ramped([{ rollout: 5 }, { rollout: 100 }]), [
    `${ruled}[s].ramp.steps`,
    'each step but the last needs for',
  ]),
  refused('a last step with a duration', ramped([{ rollout: 100, for: '1h' }]), [
    `${ruled}[s].ramp.steps`,
    'each step but the last needs for',
  ]),
  refused('a duration in days', ramped([{ rollout: 5, for: '1d' }, { rollout: 100 }]), [
    `${place}.s.ramp.steps[0].for`,
    'should match',
  ]),
  refused('a ramp of another type', strategy({ ramp: { steps: [{ rollout: 100 }] } }), [
    `${ruled}[s].ramp`,
    'only a strategy of type flexibleRollout',
  ]),
];
