/** The verdict on a flag: its status, and when time alone may change it. */
import type { FeatureFlag, FlagStatus } from '../schema/feature-flag.ts';
import type { Ref } from '../schema/object.ts';
import type { FlagEffect } from './effect.ts';
import { type Finding, judged } from './findings.ts';
import { environmentsOf, flagTypeOf, strategiesOf } from './flag-values.ts';
import { lifetimeDays, outlivesAt } from './lifetime.ts';
import { nameDuplicated } from './name-findings.ts';
import { wireNameOf } from './names.ts';
import { matchesNaming } from './naming-pattern.ts';
import { unreadablePayloads } from './payloads.ts';
import { missingParameters } from './strategy-types.ts';
import type { Surroundings } from './surroundings.ts';
import type { Verdict } from './verdict.ts';

export interface FlagInContext {
  readonly flag: FeatureFlag;
  readonly surroundings: Surroundings;
  readonly effect: FlagEffect;
  /** Other flags of this name, which are not in effect. */
  readonly duplicates?: readonly Ref[];
}

/** `now` in ms since 1970. */
export function judgeFlag(
  { flag, surroundings, effect, duplicates = [] }: FlagInContext,
  now: number,
): Verdict<FlagStatus> {
  const overdueAt = outlivesAt(flag);
  const overdue = overdueAt !== undefined && now >= overdueAt;
  const lifetime = overdue ? [outlived(flag)] : [];
  const findings = [
    ...effect.findings,
    ...nameDuplicated('flag', flag, duplicates),
    ...nameFollowsPattern(flag, surroundings),
    ...unreadablePayloads(flag),
    ...strategiesLackNothing(flag, surroundings),
    ...lifetime,
  ];
  const also = lifetime.map(
    ({ message }) => ({ type: 'PotentiallyStale', status: 'True', reason: 'LifetimeExceeded', message }) as const,
  );
  const status: FlagStatus = {
    ...judged({ object: flag, findings, also, now }),
    ...inEffect(flag, surroundings, effect),
    ...(flag.status?.lastSeenAt !== undefined && { lastSeenAt: flag.status.lastSeenAt }),
  };
  return { status, ...(overdueAt !== undefined && !overdue && { recheckInMs: overdueAt - now }) };
}

function inEffect(flag: FeatureFlag, { environments }: Surroundings, { enabledIn }: FlagEffect) {
  const named = environmentsOf(flag).map(
    ([name, environment]) =>
      [name, { enabled: enabledIn.has(name), strategies: strategiesOf(environment).length }] as const,
  );
  const on = environments.map(wireNameOf).filter((name) => enabledIn.has(name));
  return {
    ...(named.length > 0 && { environments: Object.fromEntries(named) }),
    ...(on.length > 0 && { enabledIn: on.join(',') }),
  };
}

function nameFollowsPattern(flag: FeatureFlag, { project }: Surroundings): readonly Finding[] {
  const naming = project?.spec.flagNaming;
  const name = wireNameOf(flag);
  if (!naming || matchesNaming(naming.pattern, name) !== false) return [];
  const message = `"${name}" does not match the naming pattern ${naming.pattern} of its project`;
  return [{ severity: 'Warning', path: ['name'], reason: 'NamingPatternMismatch', message }];
}

function strategiesLackNothing(flag: FeatureFlag, { strategyTypes }: Surroundings): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }): Finding[] => {
      const type = strategyTypes.get(strategy.name);
      const missing = type ? missingParameters(type, strategy.parameters) : [];
      if (missing.length === 0) return [];
      const message = `the strategy type "${strategy.name}" requires ${missing.join(', ')}: add what is missing`;
      const path = ['environments', name, 'strategies', key, 'parameters'];
      return [{ severity: 'Warning', path, reason: 'MissingParameter', message }];
    }),
  );
}

function outlived(flag: FeatureFlag): Finding {
  const type = flagTypeOf(flag.spec);
  const created = flag.metadata.creationTimestamp.slice(0, 10);
  return {
    severity: 'Warning',
    path: ['type'],
    reason: 'LifetimeExceeded',
    message: `a flag of type ${type} is expected to live ${lifetimeDays[type]} days and this one was created on ${created}: mark it stale or archive it`,
  };
}
