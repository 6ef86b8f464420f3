/** Searches the flags that take most time to evaluate, among those that are within the budget and the size of etcd. */
import { effectOf } from '../../src/domain/flag/effect.ts';
import { compileFlag } from '../../src/evaluation/compile.ts';
import type { Constraint } from '../../src/schema/constraint.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { presentClientFeature } from '../../src/wire/client/feature.ts';
import { dependents } from '../unit/domain/dependents.ts';
import { flagObject } from '../unit/domain/objects.ts';
import { cpuMsOf } from './cpu-time.ts';
import { aSituation } from './evaluation/answers.ts';

const MAX_BYTES = 1_000_000;
const MAX_STRATEGIES = 29;
const SAMPLES = 5;
/** Values that nearly match everywhere. */
const near = (length: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${'a'.repeat(length - 4)}b${index}`.slice(0, length));

type Operand = Omit<Constraint, 'contextName'>;
const lists: readonly Operand['operator'][] = ['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'];
const patterns = ['(a|b|ab){9}c', '(a{1,9}){5}b', '^(a|aa){12}$', '[a-z]{30}b', '(.{0,9}a){4}b', 'a?a?a?a?a?a?aaaaaab'];
const operands: readonly Operand[] = [
  ...lists.flatMap((operator) =>
    [8, 40, 99].map((length) => ({ operator, caseInsensitive: true, values: near(length, 250) })),
  ),
  ...patterns.map((value) => ({ operator: 'REGEX' as const, value })),
  { operator: 'SEMVER_GT', value: '1.2.3' },
  { operator: 'IN_CIDR', values: Array.from({ length: 250 }, (_, index) => `10.0.${index}.0/24`) },
];

/** The constraints that take most time, as many as a segment may have. */
export const costlyConstraints: readonly Constraint[][] = operands.map((operand) =>
  Array.from({ length: 2 }, () => ({ contextName: 'userId', ...operand, inverted: operand.operator !== 'NOT_IN' })),
);

export interface Costly {
  readonly spec: FlagSpec;
  readonly what: string;
  /** The time of one evaluation for a user of 2,000 characters, in ms. */
  readonly costMs: number;
}

/** The costliest ones first, of all operators. */
export function costliestFlags(user: string): readonly Costly[] {
  const found = operands.flatMap((operand): Costly[] => {
    const spec = largestWith(operand);
    return spec ? [{ spec, what: `${operand.operator} ${operand.value ?? ''}`, costMs: costOf(spec, user) }] : [];
  });
  return found.sort((a, b) => b.costMs - a.costMs);
}

/** As many constraints and strategies as the budget and the size allow. */
function largestWith(operand: Operand): FlagSpec | undefined {
  for (const constraints of [30, 20, 10, 5, 2, 1]) {
    for (let strategies = MAX_STRATEGIES; strategies > MAX_STRATEGIES / 2; strategies -= 7) {
      const spec = specWith(operand, constraints, strategies);
      const isSmall = JSON.stringify(spec).length < MAX_BYTES;
      if (isSmall && effectOf(flagObject('home/flag', spec), dependents()).findings.length === 0) return spec;
    }
  }
  return undefined;
}

function specWith(operand: Operand, constraints: number, strategies: number): FlagSpec {
  // The first constraints hold for the long user, so that all of them are evaluated.
  const all = Array.from({ length: constraints }, (_, index) => ({
    contextName: 'userId',
    ...operand,
    ...(index < constraints - 1 && { inverted: operand.operator !== 'NOT_IN' }),
  }));
  const keyed = Array.from({ length: strategies }, (_, index) => [`s${index}`, { name: 'default', constraints: all }]);
  return { environments: { production: { enabled: true, strategies: Object.fromEntries(keyed) } } };
}

function costOf(spec: FlagSpec, userId: string): number {
  return cpuMsOf(evaluationOf(spec, userId), SAMPLES);
}

/** Returns a function that evaluates the flag. */
export function evaluationOf(spec: FlagSpec, userId: string): () => unknown {
  const flag = flagObject('home/flag', spec);
  const feature = presentClientFeature({ flag, effect: effectOf(flag, dependents()) }, 'production');
  const compiled = compileFlag(feature, { segments: new Map() });
  return () => compiled.evaluate(aSituation(new Map(), { userId }));
}
