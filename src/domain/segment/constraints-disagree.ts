/** Constraints that SDKs read in different ways or reject: the API server rejects new ones, stored ones get a warning. */
import { type Constraint, isRange, laterConstraintRules } from '../../schema/constraint.ts';
import type { Finding } from '../judgement/findings.ts';

/** `path` is that of the list. */
export function constraintsDisagree(
  path: readonly string[],
  constraints: readonly Constraint[] | null | undefined,
): readonly Finding[] {
  return (constraints ?? []).flatMap((constraint, index) => {
    const place = [...path, `${index}`];
    const broken = laterConstraintRules.filter(({ holds }) => !holds(constraint));
    return [
      ...broken.map(({ field = 'value', message }) => disagreement([...place, field], message)),
      ...skippedRanges(place, constraint),
    ];
  });
}

const MAX_NAMED = 5;

/** CEL cannot afford to check each entry. */
function skippedRanges(path: readonly string[], { operator, values }: Constraint): readonly Finding[] {
  const skipped = operator === 'IN_CIDR' ? (values ?? []).filter((entry) => !isRange(entry)) : [];
  if (skipped.length === 0) return [];
  const message = `SDKs skip ${skipped.slice(0, MAX_NAMED).join(', ')}: write an address or a range such as 10.0.0.0/8`;
  return [disagreement([...path, 'values'], message)];
}

export function disagreement(path: readonly string[], message: string): Finding {
  return { severity: 'Warning', path, reason: 'ClientsDisagree', message };
}
