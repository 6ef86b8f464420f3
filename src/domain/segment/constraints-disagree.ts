/**
 * Constraints that SDKs read in different ways or reject, including whether there is a form that all of them read
 * alike.
 */

import { isRange } from '../../evaluation/address.ts';
import { sdkOperand } from '../../evaluation/operand.ts';
import { type Constraint, laterConstraintRules } from '../../schema/constraint.ts';
import type { Finding } from '../judgement/findings.ts';

interface Disagreement {
  readonly field: string;
  readonly message: string;
}

/** Whether SDKs can be sent the constraint, in a form that every SDK evaluates alike. */
export function isServableConstraint(constraint: Constraint): boolean {
  return sdkOperand(constraint) !== undefined && brokenRules(constraint).every(isAboutOperand);
}

function brokenRules(constraint: Constraint) {
  return laterConstraintRules.filter(({ holds }) => !holds(constraint));
}

/** Whether a finding is about the operand. An operand may have another form; a name and a list have none. */
function isAboutOperand({ field }: { readonly field?: string }): boolean {
  return field === undefined;
}

/**
 * `path` is the path of the list. The findings are errors for constraints that SDKs cannot be sent, if `consequence`
 * names the effect of that; warnings for others.
 */
export function constraintsDisagree(
  path: readonly string[],
  constraints: readonly Constraint[] | null | undefined,
  consequence?: string,
): readonly Finding[] {
  return (constraints ?? []).flatMap((constraint, index) => {
    const place = [...path, `${index}`];
    const ofThis = isServableConstraint(constraint) ? undefined : consequence;
    return [
      ...complaintsAbout(constraint).map(({ field, message }) => disagreement([...place, field], message, ofThis)),
      ...skippedRanges(place, constraint),
    ];
  });
}

function complaintsAbout(constraint: Constraint): readonly Disagreement[] {
  const broken = brokenRules(constraint);
  const rules = broken.map(({ field = 'value', message }) => ({ field, message }));
  if (broken.some(isAboutOperand) || sdkOperand(constraint) !== undefined) return rules;
  return [...rules, { field: 'value', message: unreadable(constraint) }];
}

/** Describes an operand that satisfies the rules of the API server, which cannot check more. */
function unreadable({ operator, value }: Constraint): string {
  if (operator.startsWith('NUM_')) return `SDKs disagree about the number ${value}, which is too large`;
  if (operator.startsWith('DATE_')) return `the time ${value} does not exist`;
  if (operator.startsWith('SEMVER_'))
    return `SDKs disagree about the version ${value}, which has a number above ${Number.MAX_SAFE_INTEGER}`;
  return 'value must not end with a backslash, for which many SDKs switch the whole flag off: write [\\\\] at the end';
}

const MAX_NAMED = 5;

/** CEL cannot afford to check each entry. */
function skippedRanges(path: readonly string[], { operator, values }: Constraint): readonly Finding[] {
  const skipped = operator === 'IN_CIDR' ? (values ?? []).filter((entry) => !isRange(entry)) : [];
  if (skipped.length === 0) return [];
  const message = `SDKs skip ${skipped.slice(0, MAX_NAMED).join(', ')}: write an address or a range such as 10.0.0.0/8`;
  return [disagreement([...path, 'values'], message)];
}

/** `consequence` names what follows if the part at the path is not in effect; absent: the part is in effect. */
export function disagreement(path: readonly string[], message: string, consequence?: string): Finding {
  const reason = 'ClientsDisagree';
  if (consequence === undefined) return { severity: 'Warning', path, reason, message };
  return { severity: 'Error', path, reason, message: `${message}; ${consequence}` };
}
