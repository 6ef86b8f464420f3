/** Edits of the strategies that a flag has in one environment, and of their order. */
import { Refusal } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { MAX_SORT_ORDER, type Strategy } from '../../../schema/strategy.ts';
import { wireNameOf } from '../../identity/names.ts';
import { listStrategyTypes, missingParameters } from '../../strategy-type/strategy-types.ts';
import type { FlagContext } from '../flag-context.ts';
import { environmentOf, isActive, type KeyedStrategy, strategiesOf } from '../flag-values.ts';
import { strategyIdOf } from '../strategy-id.ts';
import {
  type EditPlace,
  isUsed,
  refuseArchived,
  refuseDefects,
  refuseElsewhere,
  withEnvironment,
} from './edit-place.ts';

/** The strategies in their order. */
export function strategiesIn(flag: FeatureFlag, place: EditPlace): readonly KeyedStrategy[] {
  refuseElsewhere(flag, place);
  return strategiesOf(environmentOf(flag.spec, place.environment));
}

export interface PlaceOfOne extends EditPlace {
  /** The wire id, or the key itself. */
  readonly strategyId: string;
}

export function strategyIn(flag: FeatureFlag, place: PlaceOfOne): KeyedStrategy {
  const found = find(flag, place, strategiesIn(flag, place));
  if (found) return found;
  throw noSuchStrategy(flag, place, [place.strategyId]);
}

/** Adds the strategy as the last one, unless it has a sortOrder. */
export function addStrategy(flag: FeatureFlag, place: EditPlace, { key, strategy }: KeyedStrategy): FlagSpec {
  refuseArchived(flag);
  refuseUnusedEnvironment(flag, place);
  const present = strategiesIn(flag, place);
  refuseUnknownType(strategy.name, place.flagContext);
  refuseMissingParameters(strategy, place.flagContext);
  const added = { ...strategy, sortOrder: strategy.sortOrder ?? nextOrder(present) };
  return withStrategies(flag, place, (strategies) => ({ ...strategies, [key]: added }));
}

/**
 * An unknown type may stay, so that such a strategy can still be edited. If the type is known, the result must have all
 * parameters that the type requires, even those that were missing before: the type may have begun to require them
 * since.
 */
export function changeStrategy(flag: FeatureFlag, place: PlaceOfOne, next: Strategy): FlagSpec {
  const { key, strategy } = strategyIn(flag, place);
  if (next.name !== strategy.name) refuseUnknownType(next.name, place.flagContext);
  refuseMissingParameters(next, place.flagContext);
  return withStrategies(flag, place, (strategies) => ({ ...strategies, [key]: next }));
}

export function removeStrategy(flag: FeatureFlag, place: PlaceOfOne): FlagSpec {
  const { key } = strategyIn(flag, place);
  return withStrategies(flag, place, ({ [key]: _, ...others }) => others);
}

export interface Order {
  /** The wire id, or the key itself. */
  readonly id: string;
  readonly sortOrder: number;
}

/** Strategies that are not named keep their places. */
export function orderStrategies(flag: FeatureFlag, place: EditPlace, orders: readonly Order[]): FlagSpec {
  const present = strategiesIn(flag, place);
  const found = orders.map(({ id, sortOrder }) => {
    return { id, sortOrder, keyed: find(flag, { ...place, strategyId: id }, present) };
  });
  const missing = found.filter(({ keyed }) => !keyed).map(({ id }) => id);
  if (missing.length > 0) throw noSuchStrategy(flag, place, missing);
  const moved = found.flatMap(({ keyed, sortOrder }) => (keyed ? [{ ...keyed, sortOrder }] : []));
  refuseNamedTwice(moved.map(({ key }) => key));
  const elsewhere = moved.filter(({ strategy, sortOrder }) => (strategy.sortOrder ?? 0) !== sortOrder);
  if (elsewhere.length === 0) return flag.spec;
  const ordered = elsewhere.map(({ key, strategy, sortOrder }) => [key, { ...strategy, sortOrder }]);
  return withStrategies(flag, place, (strategies) => ({ ...strategies, ...Object.fromEntries(ordered) }));
}

function find(
  flag: FeatureFlag,
  { environment, strategyId }: PlaceOfOne,
  strategies: readonly KeyedStrategy[],
): KeyedStrategy | undefined {
  const name = wireNameOf(flag);
  return strategies.find(
    ({ key }) => key === strategyId || strategyIdOf({ flag: name, environment, key }) === strategyId,
  );
}

function nextOrder(strategies: readonly KeyedStrategy[]): number {
  const last = strategies.at(-1);
  return last ? Math.min((last.strategy.sortOrder ?? 0) + 1, MAX_SORT_ORDER) : 0;
}

type Strategies = Readonly<Record<string, Strategy | null>>;

/** A flag whose last enabled strategy is removed is off in the environment: the same write turns its switch off. */
function withStrategies(
  flag: FeatureFlag,
  { environment }: EditPlace,
  edit: (strategies: Strategies) => Strategies,
): FlagSpec {
  refuseDefects(flag, environment);
  const before = environmentOf(flag.spec, environment);
  const after = { ...before, strategies: edit(before.strategies ?? {}) };
  const goesOut = before.enabled && isActive(before) && !isActive(after);
  return withEnvironment(flag.spec, environment, goesOut ? { ...after, enabled: false } : after);
}

function refuseUnusedEnvironment(flag: FeatureFlag, place: EditPlace): void {
  const { environment, flagContext } = place;
  if (isUsed(place) || !flagContext.everyEnvironment.has(environment)) return;
  const message = `You have not added the current environment to the project: "${environment}" is not an environment of the project of flag "${wireNameOf(flag)}".`;
  throw new Refusal('invalid', message, { details: [{ part: 'params', keys: ['environment'], message }] });
}

function refuseUnknownType(name: string, flagContext: FlagContext): void {
  if (flagContext.strategyTypes.has(name)) return;
  const message = `Could not find strategy type with name ${name}; known are ${listStrategyTypes(flagContext.strategyTypes)}.`;
  throw new Refusal('invalid', message, { details: [{ part: 'body', keys: ['name'], message }] });
}

/** Kubectl and Git get a warning instead: with them, the strategy may be applied before its type. */
function refuseMissingParameters({ name, parameters }: Strategy, { strategyTypes }: FlagContext): void {
  const type = strategyTypes.get(name);
  const details = (type ? missingParameters(type, parameters) : []).map((parameter) => ({
    part: 'body' as const,
    keys: ['parameters', parameter],
    message: `The strategy type "${name}" requires the parameter "${parameter}", which is missing or empty.`,
  }));
  if (details.length === 0) return;
  throw new Refusal('invalid', details.map(({ message }) => message).join(' '), { details });
}

function refuseNamedTwice(keys: readonly string[]): void {
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice === undefined) return;
  const message = `The body names the strategy "${twice}" more than once.`;
  throw new Refusal('invalid', message, { details: [{ part: 'body', keys: [], message }] });
}

function noSuchStrategy(flag: FeatureFlag, { environment }: EditPlace, ids: readonly string[]): Refusal {
  const named = ids.map((id) => `id=${id}`).join(', ');
  return new Refusal(
    'not-found',
    `Could not find strategy with ${named} in environment "${environment}" of flag "${wireNameOf(flag)}".`,
  );
}
