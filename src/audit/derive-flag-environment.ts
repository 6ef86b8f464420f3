/** What happens to a flag in one of its environments: to its strategies, and to its switch. */
import { isDeepStrictEqual } from 'node:util';
import { environmentOf, isActive, isArchived, strategiesOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { FlagChange } from './derive-flag-change.ts';
import { tellOwnVariants } from './derive-flag-variants.ts';
import { isSameBut, tell } from './derive-told.ts';
import type { JsonObject, Told } from './entry.ts';

/** In the order that facts §4.1 has in rows 10 to 13. */
export function tellEnvironment(change: FlagChange, environment: string): readonly Told[] {
  return [
    ...tellOwnVariants(change, environment),
    ...tellStrategies(change, environment),
    ...tellSwitch(change, environment),
    ...tellStrategiesRemoved(change, environment),
  ];
}

/** Those that are there afterwards. */
export function tellStrategies(change: FlagChange, environment: string): readonly Told[] {
  const { place, before, after } = change;
  const [old, next] = [shownIn(change, before, environment), shownIn(change, after, environment)];
  const here = { ...place, environment };
  const isReordered = !isDeepStrictEqual(keysIn(old, next), keysIn(next, old));
  const added = [...next].flatMap(([subject, data]) =>
    old.has(subject) ? [] : [tell('feature-strategy-add', here, { subject, data })],
  );
  const updated = [...next].flatMap(([subject, data]) => {
    const preData = old.get(subject);
    const isMoved = preData && isReordered && isSameBut('sortOrder', preData, data);
    return preData && !isMoved ? [tell('feature-strategy-update', here, { subject, data, preData })] : [];
  });
  const order = { data: { strategyIds: idsOf(next) }, preData: { strategyIds: idsOf(old) } };
  return [...added, ...updated, ...(isReordered ? [tell('strategy-order-changed', here, order)] : [])];
}

function tellStrategiesRemoved(change: FlagChange, environment: string): readonly Told[] {
  const { place, before, after } = change;
  const next = shownIn(change, after, environment);
  return [...shownIn(change, before, environment)].flatMap(([subject, preData]) =>
    next.has(subject) ? [] : [tell('feature-strategy-remove', { ...place, environment }, { subject, preData })],
  );
}

/** As the spec has it; whether other objects let it take effect is told by the status. That archiving is off goes without saying. */
export function tellSwitch({ place, before, after }: FlagChange, environment: string): readonly Told[] {
  const [was, is] = [before !== undefined && isOn(before, environment), isOn(after, environment)];
  if (is && !was) return [tell('feature-environment-enabled', { ...place, environment })];
  if (was && !is && !isArchived(after)) return [tell('feature-environment-disabled', { ...place, environment })];
  return [];
}

function isOn(flag: FeatureFlag, name: string): boolean {
  const environment = environmentOf(flag.spec, name);
  return environment.enabled === true && isActive(environment) && !isArchived(flag);
}

type Shown = ReadonlyMap<string, JsonObject>;

/** By key, in their order. */
function shownIn({ shapes }: FlagChange, flag: FeatureFlag | undefined, environment: string): Shown {
  if (!flag) return new Map();
  const place = { flag: wireNameOf(flag), environment };
  const strategies = strategiesOf(environmentOf(flag.spec, environment));
  return new Map(strategies.map(({ key, strategy }) => [key, shapes.strategy({ ...place, key }, strategy)]));
}

/** Of those that the other side has too. */
function keysIn(strategies: Shown, other: Shown): readonly string[] {
  return [...strategies.keys()].filter((key) => other.has(key));
}

function idsOf(strategies: Shown): JsonObject[string] {
  return [...strategies.values()].map(({ id = null }) => id);
}
