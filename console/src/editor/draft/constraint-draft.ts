/** The drafts of constraints. */
import type { Schemas } from '../../api.generated.ts';
import { type Keyed, newKey } from './keyed.ts';

export type Operator = Schemas['Constraint']['operator'];

export interface ConstraintDraft extends Keyed {
  readonly contextName: string;
  readonly operator: Operator;
  /** The value, or the values, one per line. */
  readonly text: string;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

type Body = NonNullable<Schemas['AddStrategy']['constraints']>[number];

export function newConstraint(): ConstraintDraft {
  return { key: newKey(), contextName: 'userId', operator: 'IN', text: '', inverted: false, caseInsensitive: false };
}

/** Whether the operator compares with a list. */
export function takesValues(operator: Operator): boolean {
  return operator.startsWith('STR_') || operator === 'IN' || operator === 'NOT_IN' || operator === 'IN_CIDR';
}

export function mayIgnoreCase(operator: Operator): boolean {
  return operator.startsWith('STR_') || operator === 'REGEX';
}

export function draftOfConstraint(constraint: Schemas['Constraint']): ConstraintDraft {
  const { contextName, operator, values, value, inverted, caseInsensitive } = constraint;
  return {
    key: newKey(),
    contextName,
    operator,
    text: takesValues(operator) ? values.join('\n') : (value ?? ''),
    inverted: inverted ?? false,
    caseInsensitive: caseInsensitive ?? false,
  };
}

/** Returns the request body, which has the shape of the API's answers too. */
export function constraintOf(draft: ConstraintDraft): Body & { readonly values: string[]; readonly value?: string } {
  const { contextName, operator, text, inverted, caseInsensitive } = draft;
  return {
    contextName: contextName.trim(),
    operator,
    values: takesValues(operator) ? valuesOf(text) : [],
    ...(!takesValues(operator) && { value: text.trim() }),
    ...(inverted && { inverted }),
    ...(caseInsensitive && mayIgnoreCase(operator) && { caseInsensitive }),
  };
}

/** Returns why the drafts cannot be sent; undefined if they can. */
export function constraintProblem(constraints: readonly ConstraintDraft[]): string | undefined {
  const open = constraints.findIndex(({ contextName, text }) => contextName.trim() === '' || text.trim() === '');
  return open < 0 ? undefined : `Constraint ${open + 1} needs a context field and a value.`;
}

export function valuesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
