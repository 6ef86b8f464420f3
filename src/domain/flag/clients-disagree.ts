/** Values that SDKs read in different ways or reject: the API server rejects new ones, stored ones get a warning. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { laterStrategyRules } from '../../schema/strategy.ts';
import type { Finding } from '../judgement/findings.ts';
import { constraintsDisagree, disagreement } from '../segment/constraints-disagree.ts';
import { environmentsOf, strategiesOf } from './flag-values.ts';

export function clientsDisagree(flag: FeatureFlag): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }) => {
      const path = ['environments', name, 'strategies', key];
      const own = laterStrategyRules.filter(({ holds }) => !holds(strategy));
      return [
        ...own.map(({ field, message }) => disagreement([...path, ...(field?.split('.') ?? [])], message)),
        ...constraintsDisagree([...path, 'constraints'], strategy.constraints),
      ];
    }),
  );
}
