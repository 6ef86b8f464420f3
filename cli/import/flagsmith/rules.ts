/** Reads the states of a feature of Flagsmith: for identities, for segments and for the environment. */
import { isDeepStrictEqual } from 'node:util';
import { recordOf, recordsIn } from '../../../src/model/json.ts';
import { all, type Read } from '../rules/alternatives.ts';
import type { Given } from '../rules/records.ts';
import {
  DEFAULT_FIELD,
  type Outcome,
  one,
  type Share,
  type TargetingRule,
  totalWeight,
} from '../rules/targeting-rule.ts';
import { namedValues } from '../rules/value-names.ts';

/** The state of a feature for some users. */
export interface PlacedState {
  readonly when: Read;
  readonly share: Share | undefined;
  readonly state: Given;
}

/** The values that a state can give, in their order; the first is that of users without a share. */
function valuesOf(state: Given): readonly unknown[] {
  const options = recordsIn(state['multivariate_feature_state_values']);
  return [state['feature_state_value'] ?? null, ...options.map(optionValue)];
}

function optionValue(option: Given): unknown {
  return recordOf(option['multivariate_feature_option'])['value'] ?? null;
}

/** The names of variants by their values. Null is no variant. */
export function variantsOf(states: readonly Given[]): ReadonlyMap<string, unknown> {
  return namedValues([...new Set(states.flatMap(valuesOf))].filter((value) => value !== null && value !== ''));
}

/** Returns undefined if Vexil has no such rules. */
export function rulesOf(
  placed: readonly PlacedState[],
  variants: ReadonlyMap<string, unknown>,
): readonly TargetingRule[] | undefined {
  const names = new Map([...variants].map(([name, value]) => [value, name]));
  return all(
    placed.map(({ when, share, state }) => {
      if (!when) return undefined;
      const isOff = state['enabled'] !== true;
      return variants.size === 0
        ? [switchRule({ when, share, isOff })]
        : variantRules({ when, share, state, isOff }, (value) => names.get(value));
    }),
  )?.flat();
}

interface Placed {
  readonly when: TargetingRule['when'];
  readonly share: Share | undefined;
  readonly isOff: boolean;
}

/** A feature without a value is on or off. */
function switchRule({ when, share, isOff }: Placed): TargetingRule {
  return { when, ...(share && { share }), outcome: one(`${!isOff}`) };
}

/** Users without an identity, and those of no option, get the value of the state. */
function variantRules(
  { when, share, state, isOff }: Placed & { readonly state: Given },
  nameOf: (value: unknown) => string | undefined,
): readonly TargetingRule[] | undefined {
  const control = nameOf(state['feature_state_value'] ?? null);
  const own = { when, isOff, outcome: control === undefined ? outcomeOf([]) : one(control) };
  const options = recordsIn(state['multivariate_feature_state_values']).map((option) => ({
    variant: nameOf(optionValue(option)),
    weight: Number(option['percentage_allocation']),
  }));
  const given = options.filter(({ weight }) => weight > 0);
  if (given.length === 0 || isOff) return [{ ...own, ...(share && { share }) }];
  const shares = all(given.map(({ variant, weight }) => (variant === undefined ? undefined : { variant, weight })));
  const percent = totalWeight(given);
  // A share of a share has no strategy.
  if (share || !shares || percent > 100) return undefined;
  const split = control === undefined ? shares : withRest(shares, control, percent);
  const part = { percent: control === undefined ? percent : 100, stickiness: DEFAULT_FIELD };
  return [{ when, share: part, outcome: outcomeOf(split) }, own];
}

function withRest(shares: Outcome['shares'], control: string, percent: number): Outcome['shares'] {
  const rest = 100 - percent;
  const known = shares.find(({ variant }) => variant === control);
  if (rest <= 0) return shares;
  if (!known) return [...shares, { variant: control, weight: rest }];
  return shares.map((share) => (share === known ? { ...share, weight: share.weight + rest } : share));
}

function outcomeOf(shares: Outcome['shares']): Outcome {
  return { shares, stickiness: DEFAULT_FIELD };
}

/** Identities with the same state share a rule. */
export function sameState(state: Given, other: Given): boolean {
  const fields = ['enabled', 'feature_state_value', 'multivariate_feature_state_values'];
  return fields.every((field) => isDeepStrictEqual(state[field], other[field]));
}
