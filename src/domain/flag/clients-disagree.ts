/** Values that SDKs read in different ways or reject: the API server rejects new ones, stored ones get a warning. */
import { type Constraint, isRange, laterConstraintRules } from '../../schema/constraint.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { laterStrategyRules } from '../../schema/strategy.ts';
import type { Finding } from '../judgement/findings.ts';
import { environmentsOf, strategiesOf } from './flag-values.ts';

export function clientsDisagree(flag: FeatureFlag): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }) => {
      const path = ['environments', name, 'strategies', key];
      const own = laterStrategyRules.filter(({ holds }) => !holds(strategy));
      return [
        ...own.map(({ field, message }) => warning([...path, ...(field?.split('.') ?? [])], message)),
        ...constraintsDisagree([...path, 'constraints'], strategy.constraints),
      ];
    }),
  );
}

/** `path` is that of the list. */
function constraintsDisagree(
  path: readonly string[],
  constraints: readonly Constraint[] | null | undefined,
): readonly Finding[] {
  return (constraints ?? []).flatMap((constraint, index) => {
    const place = [...path, `${index}`];
    const broken = laterConstraintRules.filter(({ holds }) => !holds(constraint));
    return [
      ...broken.map(({ field = 'value', message }) => warning([...place, field], message)),
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
  return [warning([...path, 'values'], message)];
}

function warning(path: readonly string[], message: string): Finding {
  return { severity: 'Warning', path, reason: 'ClientsDisagree', message };
}
