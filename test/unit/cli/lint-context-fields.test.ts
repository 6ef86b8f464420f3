/** A list of context fields makes warnings of unknown fields and illegal values, and never an error. */
import { expect, test } from 'vitest';
import { lint } from '../../../cli/lint/lint.ts';

const FIELDS = [{ name: 'region', legalValues: [{ value: 'eu' }, { value: 'us' }] }, { name: 'plan' }];

async function findings(constraints: string, contextFields: typeof FIELDS | null = FIELDS) {
  const text = `apiVersion: vexil.dev/v1beta1
kind: FeatureFlag
metadata: { name: one }
spec:
  environments:
    production:
      strategies:
        all:
          name: default
          constraints: [${constraints}]
---
apiVersion: vexil.dev/v1beta1
kind: Segment
metadata: { name: few }
spec: { constraints: [${constraints}] }
`;
  const sources = [{ file: 'flags.yaml', text }];
  const result = await lint({
    sources,
    context: [],
    namespace: 'shop',
    now: 0,
    contextFields: contextFields ?? undefined,
  });
  return result.findings
    .filter(({ rule }) => ['UnknownContextField', 'IllegalValue'].includes(rule))
    .map(({ severity, path, place: { line }, message }) => `${line} ${severity} ${path.join('.')}: ${message}`);
}

const OF_FLAG = 'spec.environments.production.strategies.all.constraints[0]';
const at = (path: string) => path.replaceAll('[', '.').replaceAll(']', '');

test.each([
  ['contextName: region, operator: IN, values: [eu, mars]', 'values[1]', 'mars is no legal value of region (eu, us)'],
  ['contextName: region, operator: NOT_IN, values: [EU]', 'values[0]', 'EU is no legal value of region (eu, us)'],
  [
    'contextName: regoin, operator: IN, values: [eu]',
    'contextName',
    'regoin is no listed context field: did you mean region?',
  ],
])('{%s} is a warning in a flag and in a segment', async (constraint, part, words) => {
  const inFlag = `${OF_FLAG}.${part}`;
  const inSegment = `spec.constraints[0].${part}`;
  expect(await findings(`{${constraint}}`)).toEqual([
    `10 warning ${at(inFlag)}: ${inFlag}: ${words}`,
    `15 warning ${at(inSegment)}: ${inSegment}: ${words}`,
  ]);
});

test.each([
  'contextName: region, operator: IN, values: [eu, us]',
  'contextName: region, operator: STR_STARTS_WITH, values: [e]',
  'contextName: plan, operator: IN, values: [anything]',
  'contextName: userId, operator: IN, values: ["7"]',
])('{%s} has no warning', async (constraint) => {
  expect(await findings(`{${constraint}}`)).toEqual([]);
});

test('without a list, any field and value may be used', async () => {
  expect(await findings('{contextName: moon, operator: IN, values: [x]}', null)).toEqual([]);
});
