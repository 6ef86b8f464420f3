/** A constraint: a comparison of one context field. */
import { z } from 'zod';
import { LATER_PATTERN, type Rule, ruled } from './fields/rule.ts';
import { atomicList, text } from './fields/shapes.ts';

/** Operators whose operand is the list `values`. */
const listOperators = ['IN', 'NOT_IN', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS', 'IN_CIDR'] as const;
export const operators = [
  ...listOperators,
  ...(['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'] as const),
  ...(['DATE_AFTER', 'DATE_BEFORE'] as const),
  ...(['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_GTE', 'SEMVER_LT', 'SEMVER_LTE'] as const),
  'REGEX',
] as const;

/** Yggdrasil, on which many SDKs are built, rejects the whole flag for text that its grammar cannot quote. */
export const QUOTABLE = String.raw`^([^"]*[^"\\])?$`;
const NO_TRAILING_BACKSLASH = String.raw`^([\s\S]*[^\\])?$`;

/** The shape without the rules, which the API server checks; used for request bodies. */
export const constraintShape = z.object({
  contextName: z.string().min(1).max(100).meta({ description: 'The context field to compare, for example userId.' }),
  operator: z.enum(operators).meta({ description: 'The comparison.' }),
  values: z
    .array(
      z
        .string()
        .min(1)
        .max(100)
        .meta({ [LATER_PATTERN]: NO_TRAILING_BACKSLASH }),
    )
    .max(250)
    .nullable()
    .optional()
    .meta({
      description: 'Operands of IN, NOT_IN, IN_CIDR and STR_…. No entry ends with a backslash.',
      'x-kubernetes-list-type': 'atomic',
    }),
  value: text(50, 'Operand of NUM_…, DATE_…, SEMVER_… and REGEX.').optional(),
  caseInsensitive: z.boolean().optional().meta({ description: 'Ignore case (STR_… and REGEX only).' }),
  inverted: z.boolean().optional().meta({ description: 'Negate the result.' }),
});

export type Constraint = z.infer<typeof constraintShape>;

interface Operand {
  /** The prefix of the operators. */
  readonly prefix: string;
  readonly want: string;
  readonly pattern: string;
  /** The pattern of earlier versions: values that were stored under it stay in effect. */
  readonly former: string;
  /** Patterns that no value may match, if a single pattern would exceed the cost budget of CEL. */
  readonly never?: readonly string[];
}

/** The form of `value` by the prefix of the operator (docs/unleash-compatibility.md#constraints). */
const operands: readonly Operand[] = [
  {
    prefix: 'NUM_',
    want: 'a number that begins with a digit, such as 0.5,',
    pattern: '^[-+]?[0-9]+([.][0-9]*)?([eE][-+]?[0-9]+)?$',
    former: '^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$',
  },
  {
    prefix: 'DATE_',
    want: 'a date with time and zone, such as 2026-01-31T12:00:00Z,',
    pattern: String.raw`^\d{4}(-\d\d){2}T\d\d(:\d\d){2}([.]\d{3})?(Z|[-+]\d\d:\d\d)$`,
    former: String.raw`^\d{4}-[01]\d-[0-3]\d(T[0-2]\d[\d:.]{3,15}(Z|[-+][\d:]{5})?)?$`,
    // Months, days, hours, and the rest.
    never: [String.raw`-(00|1[3-9]|[2-9]\d)-|-(00|3[2-9]|[4-9]\d)T|T(2[4-9]|[3-9])|:[6-9]`],
  },
  {
    prefix: 'SEMVER_',
    want: 'a semantic version such as 1.2.3',
    pattern: '^(0|[1-9][0-9]*)([.](0|[1-9][0-9]*)){2}([-+][0-9A-Za-z.+-]+)?$',
    former: '^(0|[1-9][0-9]*)([.](0|[1-9][0-9]*)){2}([-+][0-9A-Za-z.+-]+)?$',
    // Empty identifiers and a second +; numbers with leading zeros in a pre-release.
    never: [String.raw`[.]([.+]|$)|[+](.*[+]|[.]|$)|^[\d.]+-[.+]`, String.raw`^[\d.]+-([^+]*[.])?0\d+([.+]|$)`],
  },
];

function operandRules({ prefix, want, pattern, former, never = [] }: Operand): readonly Rule<Constraint>[] {
  const message = `the operators ${prefix}… need ${want} in value`;
  const concerns = (c: Constraint) => c.operator.startsWith(prefix);
  const cel = `!self.operator.startsWith('${prefix}') ||`;
  const fits = (allowed: RegExp) => (c: Constraint) => !concerns(c) || (c.value !== undefined && allowed.test(c.value));
  return [
    {
      cel: `${cel} (has(self.value) && self.value.matches(r'${pattern}'))`,
      message,
      holds: fits(new RegExp(pattern)),
      tolerated: fits(new RegExp(former)),
    },
    ...never.map((refused) => {
      const unwanted = new RegExp(refused);
      return {
        cel: `${cel} !has(self.value) || !self.value.matches(r'${refused}')`,
        message,
        holds: (c: Constraint) => !concerns(c) || !unwanted.test(c.value ?? ''),
        tolerated: () => true,
      };
    }),
  ];
}

const quotable = new RegExp(QUOTABLE);

export function isQuotable(text: string): boolean {
  return quotable.test(text);
}

const rules: readonly Rule<Constraint>[] = [
  {
    cel: "!(self.operator.startsWith('STR_') || self.operator in ['IN', 'NOT_IN', 'IN_CIDR']) || (has(self.values) && self.values.size() > 0)",
    message: 'the operators IN, NOT_IN, IN_CIDR and STR_… need at least one entry in values',
    holds: (c) => !(listOperators as readonly string[]).includes(c.operator) || (c.values ?? []).length > 0,
  },
  ...operands.flatMap(operandRules),
  {
    // A pattern that RE2 rejects ends the evaluation of the rule with an error, which is a rejection too.
    cel: "self.operator != 'REGEX' || (has(self.value) && self.value != '' && ''.matches(self.value) in [true, false])",
    message: 'the operator REGEX needs a regular expression that RE2 accepts in value',
    holds: (c) => c.operator !== 'REGEX' || Boolean(c.value),
  },
  {
    cel: `self.contextName.matches(r'${QUOTABLE}')`,
    message: 'contextName must have no double quote and no backslash at its end: many SDKs switch the whole flag off',
    holds: (c) => isQuotable(c.contextName),
    tolerated: () => true,
    field: 'contextName',
  },
  {
    cel: "!self.operator.startsWith('DATE_') || self.contextName == 'currentTime'",
    message: 'the operators DATE_… need contextName currentTime: SDKs disagree about any other field',
    holds: (c) => !c.operator.startsWith('DATE_') || c.contextName === 'currentTime',
    tolerated: () => true,
    field: 'contextName',
  },
];

const constraint = ruled(constraintShape, ...rules);

/** Maximum for one strategy or segment. */
export const MAX_CONSTRAINTS = 30;

export const constraintList = (description: string) => atomicList(constraint, MAX_CONSTRAINTS, description);

/** Rules for new values that stored ones may violate. */
export const laterConstraintRules: readonly Pick<Rule<Constraint>, 'message' | 'holds' | 'field'>[] = [
  ...rules.filter(({ tolerated }) => tolerated),
  {
    message: 'no entry of values may end with a backslash: many SDKs switch the whole flag off',
    holds: ({ values }) => (values ?? []).every((entry) => !entry.endsWith('\\')),
    field: 'values',
  },
];
