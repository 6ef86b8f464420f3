/** A condition on one value of the context. */
import type { ClientConstraint } from './client-document.ts';
import type { Context } from './context.ts';
import { operatorOf } from './operators.ts';
import type { ConstraintResult } from './why.ts';

export interface CompiledConstraint {
  readonly constraint: ClientConstraint;
  /** The segment that the constraint belongs to, if any. */
  readonly segment: ConstraintResult['segment'];
  readonly holds: (context: Context) => boolean;
  /** Why the value, or its absence, makes the constraint fail even if inverted. */
  readonly problemOf: (value: string | undefined) => string | undefined;
}

/** A constraint with an unknown operator or an unreadable operand never holds, not even inverted. */
export function compileConstraint(
  constraint: ClientConstraint,
  segment?: ConstraintResult['segment'],
): CompiledConstraint {
  const { contextName, inverted } = constraint;
  const operator = operatorOf(constraint.operator);
  const test = operator?.compile(constraint);
  if (operator === undefined || test === undefined) {
    const problem = operator ? `the operand is not ${operator.wants}` : 'there is no such operator';
    return { constraint, segment, holds: () => false, problemOf: () => problem };
  }
  const { wants, whenMissing } = operator;
  return {
    constraint,
    segment,
    holds: (context) => {
      const value = context.get(contextName);
      return (value === undefined ? whenMissing : (test(value) ?? false)) !== inverted;
    },
    problemOf: (value) => {
      if (value === undefined) return `the context has no "${contextName}"`;
      return test(value) === undefined ? `the value is not ${wants}` : undefined;
    },
  };
}

/** Stops at the first constraint that does not hold, unless all results are wanted. */
export function allHold(
  constraints: readonly CompiledConstraint[],
  context: Context,
  results?: ConstraintResult[],
): boolean {
  if (results === undefined) {
    for (const one of constraints) if (!one.holds(context)) return false;
    return true;
  }
  results.push(...constraints.map((one) => explain(one, context)));
  return results.every(({ holds }) => holds);
}

function explain({ constraint, segment, holds, problemOf }: CompiledConstraint, context: Context): ConstraintResult {
  const value = context.get(constraint.contextName);
  return { constraint, segment, value, problem: problemOf(value), holds: holds(context) };
}
