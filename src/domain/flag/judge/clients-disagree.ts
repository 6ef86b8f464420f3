/**
 * Strategies that SDKs read in different ways or reject, including whether there is a form that all of them read alike.
 */

import { parameterText } from '../../../model/parameter-text.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { quotableParameters, type Strategy, wholeRollout } from '../../../schema/strategy.ts';
import { type Finding, isError } from '../../judgement/findings.ts';
import { constraintsDisagree, disagreement, isServableConstraint } from '../../segment/constraints-disagree.ts';
import { environmentsOf, strategiesOf } from '../flag-values.ts';
import { itemsOf } from '../list-parameters.ts';

/**
 * Whether SDKs can be sent the strategy (ADR 39). A strategy that cannot be sent is not in effect, whether SDKs or the
 * server evaluate it.
 */
export function isServable(strategy: Strategy): boolean {
  return (
    quotableParameters.every(({ holds }) => holds(strategy)) && (strategy.constraints ?? []).every(isServableConstraint)
  );
}

/** Errors that turn off only their strategy. */
export function unservableStrategies(flag: FeatureFlag): readonly Finding[] {
  return disagreements(flag).filter(isError);
}

/** Findings about strategies that SDKs get in a form other than the written one. */
export function clientsDisagree(flag: FeatureFlag): readonly Finding[] {
  return disagreements(flag).filter((finding) => !isError(finding));
}

/** Findings by spec, which versions with different statuses share. */
const known = new WeakMap<FlagSpec, readonly Finding[]>();

function disagreements(flag: FeatureFlag): readonly Finding[] {
  const before = known.get(flag.spec);
  if (before) return before;
  const found = findDisagreements(flag);
  known.set(flag.spec, found);
  return found;
}

function findDisagreements(flag: FeatureFlag): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }) =>
      disagreementsIn(strategy, ['environments', name, 'strategies', key]),
    ),
  );
}

const CONSEQUENCE = 'the strategy is not in effect';

function disagreementsIn(strategy: Strategy, path: readonly string[]): readonly Finding[] {
  const place = [...path, 'parameters'];
  // A disabled strategy is not in effect in any case.
  const consequence = strategy.disabled ? undefined : CONSEQUENCE;
  const unquotable = quotableParameters.filter(({ holds }) => !holds(strategy));
  return [
    ...(wholeRollout.holds(strategy) ? [] : [disagreement([...place, 'rollout'], wholeRollout.message)]),
    ...unquotable.map(({ name, message }) => disagreement([...place, name], message, consequence)),
    ...skippedItems(strategy, place),
    ...constraintsDisagree([...path, 'constraints'], strategy.constraints, consequence),
    ...mixedStickiness(strategy, [...path, 'variants']),
  ];
}

const MAX_NAMED = 5;

function skippedItems({ parameters }: Strategy, path: readonly string[]): readonly Finding[] {
  return Object.entries(parameters ?? {}).flatMap(([name, value]) => {
    const skipped = itemsOf(name, value)?.skipped ?? [];
    if (skipped.length === 0) return [];
    const sign = name === 'userIds' ? 'a backslash at its end' : 'a double quote or a backslash';
    const message = `SDKs do not get ${skipped.slice(0, MAX_NAMED).join(', ')}: many of them switch the whole flag off for ${sign}`;
    return [disagreement([...path, name], message)];
  });
}

/** Node takes the stickiness of the first variant, Yggdrasil that of the strategy: all SDKs are sent the same one. */
function mixedStickiness(strategy: Strategy, path: readonly string[]): readonly Finding[] {
  if (!strategy.variants?.length) return [];
  const own = ownStickiness(strategy);
  const ofVariants = strategy.variants.map(({ stickiness }) => stickiness || (own ?? 'default'));
  if (new Set(own === undefined ? ofVariants : [own, ...ofVariants]).size <= 1) return [];
  const all = own === undefined ? 'that of the first' : `"${own}", that of the strategy`;
  const message = `all variants of a strategy get one stickiness, ${all}: SDKs disagree about others`;
  return [disagreement(path, message)];
}

/** Undefined if the strategy takes the stickiness of its variants. */
function ownStickiness({ name, parameters }: Strategy): string | undefined {
  const given = parameters?.stickiness;
  if (given === undefined || given === null) return name === 'flexibleRollout' ? 'default' : undefined;
  return parameterText(given) || 'default';
}
