/** The audit events of the strategies and of the switch of a flag in one environment. */
import { isDeepStrictEqual } from 'node:util';
import { environmentOf, isActive, isArchived, strategiesOf } from '../../domain/flag/flag-values.ts';
import type { AuditEvent } from '../../domain/history/entry.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { JsonObject } from '../../model/json.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { auditEvent, isSameBut } from './audit-event.ts';
import type { FlagChange } from './flag-change.ts';
import { diffOwnVariants } from './flag-variants.ts';

/** Returns the events in the order of docs/unleash-compatibility.md#event-order. */
export function diffEnvironment(change: FlagChange, environment: string): readonly AuditEvent[] {
  return [
    ...diffOwnVariants(change, environment),
    ...diffStrategies(change, environment),
    ...diffWindow(change, environment),
    ...diffSwitch(change, environment),
    ...diffStrategiesRemoved(change, environment),
  ];
}

/** Compares the strategies that exist after the step, and their order. */
export function diffStrategies(change: FlagChange, environment: string): readonly AuditEvent[] {
  const { place, before, after } = change;
  const [old, next] = [shownIn(change, before, environment), shownIn(change, after, environment)];
  const here = { ...place, environment };
  const isReordered = !isDeepStrictEqual(keysIn(old, next), keysIn(next, old));
  const added = [...next].flatMap(([subject, data]) =>
    old.has(subject) ? [] : [auditEvent('feature-strategy-add', here, { subject, data })],
  );
  const updated = [...next].flatMap(([subject, data]) => {
    const preData = old.get(subject);
    const isMoved = preData && isReordered && isSameBut('sortOrder', preData, data);
    return preData && !isMoved ? [auditEvent('feature-strategy-update', here, { subject, data, preData })] : [];
  });
  const order = { data: { strategyIds: idsOf(next) }, preData: { strategyIds: idsOf(old) } };
  return [...added, ...updated, ...(isReordered ? [auditEvent('strategy-order-changed', here, order)] : [])];
}

function diffStrategiesRemoved(change: FlagChange, environment: string): readonly AuditEvent[] {
  const { place, before, after } = change;
  const next = shownIn(change, after, environment);
  return [...shownIn(change, before, environment)].flatMap(([subject, preData]) =>
    next.has(subject) ? [] : [auditEvent('feature-strategy-remove', { ...place, environment }, { subject, preData })],
  );
}

/** Compares the times as they are written. */
export function diffWindow({ place, before, after }: FlagChange, environment: string): readonly AuditEvent[] {
  const [preData, data] = [before, after].map((flag) => {
    const { activeFrom = null, activeUntil = null } = flag ? environmentOf(flag.spec, environment) : {};
    return { activeFrom, activeUntil };
  });
  if (!data || !preData || isDeepStrictEqual(data, preData)) return [];
  return [auditEvent('feature-window-updated', { ...place, environment }, { data, preData })];
}

/** Compares the switches in the specs. Archiving a flag is not a switch event of its own. */
export function diffSwitch({ place, before, after }: FlagChange, environment: string): readonly AuditEvent[] {
  const [was, is] = [before !== undefined && isOn(before, environment), isOn(after, environment)];
  if (is && !was) return [auditEvent('feature-environment-enabled', { ...place, environment })];
  if (was && !is && !isArchived(after)) return [auditEvent('feature-environment-disabled', { ...place, environment })];
  return [];
}

function isOn(flag: FeatureFlag, name: string): boolean {
  const environment = environmentOf(flag.spec, name);
  return environment.enabled === true && isActive(environment) && !isArchived(flag);
}

type ShownStrategies = ReadonlyMap<string, JsonObject>;

/** The strategies by key, in their order. */
function shownIn({ shapes }: FlagChange, flag: FeatureFlag | undefined, environment: string): ShownStrategies {
  if (!flag) return new Map();
  const place = { flag: wireNameOf(flag), environment };
  const strategies = strategiesOf(environmentOf(flag.spec, environment));
  return new Map(strategies.map(({ key, strategy }) => [key, shapes.strategy({ ...place, key }, strategy)]));
}

/** The keys of the strategies that the other side has too. */
function keysIn(strategies: ShownStrategies, other: ShownStrategies): readonly string[] {
  return [...strategies.keys()].filter((key) => other.has(key));
}

function idsOf(strategies: ShownStrategies): JsonObject[string] {
  return [...strategies.values()].map(({ id = null }) => id);
}
