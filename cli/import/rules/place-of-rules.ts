/** Writes rules that follow one another as an environment of a flag. */
import { type FlagEnvironment, MAX_STRATEGIES } from '../../../src/schema/feature-flag.ts';
import { strategy } from '../../../src/schema/strategy.ts';
import type { Payload } from '../../../src/schema/variant.ts';
import { lost, type Unmapped } from '../unmapped.ts';
import { booleanStrategies } from './boolean-strategies.ts';
import type { Strategies } from './strategies.ts';
import type { TargetingRule } from './targeting-rule.ts';
import { variantStrategies } from './variant-strategies.ts';

export interface FlagRules {
  /** The name of the flag. */
  readonly name: string;
  /** Undefined if Vexil has no such rules. */
  readonly rules: readonly TargetingRule[] | undefined;
  /** The values by the names that rules use. */
  readonly variants: ReadonlyMap<string, unknown>;
  /** Whether values are variants although they are true and false; absent: such a flag is on or off. */
  readonly areVariants?: boolean;
  readonly isEnabled: boolean;
  /** The path of the flag, or of its environment, in the document. */
  readonly path: readonly string[];
  /** What notes about the rules are about. */
  readonly rulesAt: { readonly path: readonly string[]; readonly value: unknown };
  /** What is lost without the rules. */
  readonly value: unknown;
}

export interface RuledPlace {
  readonly place: FlagEnvironment;
  readonly unmapped: readonly Unmapped[];
}

export function placeOfRules(given: FlagRules): RuledPlace {
  const { variants, isEnabled, path, rulesAt, value } = given;
  const rules = given.rules && untilAlways(given.rules);
  const isBoolean = !given.areVariants && areBoolean(variants);
  const strategies = rules && areKnown(rules, variants) ? acceptable(strategiesOf(given, rules, isBoolean)) : undefined;
  const place = placeOf(strategies, isEnabled);
  if (!rules || !strategies) return { place, unmapped: [lost(path, value, NO_SUCH_RULES)] };
  return {
    place,
    unmapped: [
      ...(isBoolean ? [] : unusedVariants(rules, variants, path)),
      ...strategies.notes.map((advice) => lost(rulesAt.path, rulesAt.value, advice)),
      ...operatorNote(rules, rulesAt.path),
    ],
  };
}

export const NO_SUCH_RULES =
  'Vexil has no such rules. The flag is written switched off and without strategies: add them by hand.';

/** Operators that SDKs do not all know. */
const NEWER: readonly string[] = ['REGEX', 'SEMVER_GTE', 'SEMVER_LTE'];

function operatorNote(rules: readonly TargetingRule[], path: readonly string[]): readonly Unmapped[] {
  const constraints = rules
    .flatMap(({ when }) => when.flat())
    .flatMap((term) => ('segment' in term ? term.constraints : [term]));
  const used = [...new Set(constraints.map(({ operator }) => operator))].filter((name) => NEWER.includes(name)).sort();
  const advice = 'These operators need recent SDKs: others evaluate the constraint as false, or the whole flag as off.';
  return used.length === 0 ? [] : [{ ...lost(path, used, advice), isNote: true }];
}

function strategiesOf(
  { name, variants }: FlagRules,
  rules: readonly TargetingRule[],
  isBoolean: boolean,
): Strategies | undefined {
  return isBoolean ? booleanStrategies(name, rules, variants) : variantStrategies(name, rules, payloadsOf(variants));
}

function areBoolean(variants: ReadonlyMap<string, unknown>): boolean {
  return [...variants.values()].every((one) => typeof one === 'boolean');
}

function areKnown(rules: readonly TargetingRule[], variants: ReadonlyMap<string, unknown>): boolean {
  return (
    variants.size > 0 && rules.every(({ outcome }) => outcome.shares.every(({ variant }) => variants.has(variant)))
  );
}

/** One strategy that a cluster refuses would give its users to the rules after it. */
function acceptable(read: Strategies | undefined): Strategies | undefined {
  if (!read || read.strategies.length > MAX_STRATEGIES) return undefined;
  return read.strategies.every((one) => strategy.safeParse(one).success) ? read : undefined;
}

const UNUSED = 'No rule gives this variant. It is left out: add it to a strategy.';

function unusedVariants(
  rules: readonly TargetingRule[],
  variants: ReadonlyMap<string, unknown>,
  path: readonly string[],
): readonly Unmapped[] {
  const used = new Set(rules.flatMap(({ outcome }) => outcome.shares.map(({ variant }) => variant)));
  return [...variants]
    .filter(([name]) => !used.has(name))
    .map(([name, value]) => lost([...path, 'variants', name], value, UNUSED));
}

/** Removes the rules after one that always holds. */
function untilAlways(rules: readonly TargetingRule[]): readonly TargetingRule[] {
  const last = rules.findIndex(({ when, share }) => !share && when.some((terms) => terms.length === 0));
  return last < 0 ? rules : rules.slice(0, last + 1);
}

function payloadsOf(variants: ReadonlyMap<string, unknown>): ReadonlyMap<string, Payload> {
  const known = [...variants].filter(([, value]) => value !== undefined && value !== null);
  return new Map(known.map(([name, value]) => [name, payloadOf(value)]));
}

function payloadOf(value: unknown): Payload {
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'number') return { type: 'number', value: `${value}` };
  return { type: 'json', value: JSON.stringify(value) };
}

/** Strategies have their keys in the order of the rules. */
function placeOf(strategies: Strategies | undefined, isEnabled: boolean): FlagEnvironment {
  if (!strategies) return { enabled: false };
  // The flag is off for everyone; the strategy makes it ready to be switched on.
  if (strategies.strategies.length === 0) return { enabled: false, strategies: { 'rule-1': { name: 'default' } } };
  const numbered = strategies.strategies.map((written, index) => [
    `rule-${index + 1}`,
    { ...written, ...(strategies.strategies.length > 1 && { sortOrder: index }) },
  ]);
  return { enabled: isEnabled, strategies: Object.fromEntries(numbered) };
}
