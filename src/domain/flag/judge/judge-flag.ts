/** The verdict on a flag: its status, and when time alone may change it. */

import type { Ref } from '../../../model/object.ts';
import type { FlagGrant } from '../../../schema/approvals.ts';
import type { FeatureFlag, FlagStatus } from '../../../schema/feature-flag.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { wireNameOf } from '../../identity/names.ts';
import { matchesNaming } from '../../identity/naming-pattern.ts';
import { type Finding, type FurtherCondition, judged } from '../../judgement/findings.ts';
import type { Granted, Verdict } from '../../judgement/verdict.ts';
import { nameDuplicated } from '../../name-claims/name-findings.ts';
import { missingParameters } from '../../strategy-type/strategy-types.ts';
import { brokenBy, type FlagEffect } from '../effect.ts';
import type { FlagContext } from '../flag-context.ts';
import { environmentsOf, strategiesOf } from '../flag-values.ts';
import { lifetimeExceeded, outlivesAt } from '../lifetime.ts';
import { momentsOf, pausesIn, timesIn } from '../moments.ts';
import { clientsDisagree } from './clients-disagree.ts';
import { judgeMoments, judgeMomentsIn, type Planned } from './judge-moments.ts';
import { unreadablePayloads } from './payloads.ts';

export interface FlagInContext {
  readonly flag: FeatureFlag;
  readonly flagContext: FlagContext;
  readonly effect: FlagEffect;
  /** Other flags of the same name, which are not in effect. */
  readonly duplicates?: readonly Ref[];
  /** Approved changes, and when time alone changes the list, in ms since 1970. */
  readonly granted?: Granted<FlagGrant> | undefined;
  /** Conditions that follow from more than the objects. */
  readonly also?: readonly FurtherCondition[];
}

/** `now` in ms since 1970. */
export function judgeFlag(
  { flag, flagContext, effect, duplicates = [], granted, also = [] }: FlagInContext,
  now: number,
): Verdict<FlagStatus> {
  const overdueAt = outlivesAt(flag);
  const overdue = overdueAt !== undefined && now >= overdueAt;
  const lifetime = overdue ? [lifetimeExceeded(flag)] : [];
  const moments = momentsOf(flag, timesIn(flagContext.everyEnvironment));
  const plan = { moments, broken: brokenBy(effect.findings) };
  const planned = judgeMoments(plan, effect.at);
  const findings = [
    ...effect.findings,
    ...nameDuplicated('flag', flag, duplicates),
    ...nameFollowsPattern(flag, flagContext),
    ...unreadablePayloads(flag),
    ...strategiesLackNothing(flag, flagContext),
    ...clientsDisagree(flag),
    ...lifetime,
  ];
  const overlong = lifetime.map(
    ({ message }) => ({ type: 'PotentiallyStale', status: 'True', reason: 'LifetimeExceeded', message }) as const,
  );
  const status: FlagStatus = {
    ...judged({ object: flag, findings, also: [...overlong, ...planned.conditions, ...also], now }),
    ...inEffect({ flag, flagContext, effect }, plan),
    ...planned.status,
    ...(granted && granted.grants.length > 0 && { grants: granted.grants }),
    ...(flag.status?.lastSeenAt !== undefined && { lastSeenAt: flag.status.lastSeenAt }),
  };
  const changes = [overdue ? undefined : overdueAt, planned.nextAt, granted?.nextAt].filter((at) => at !== undefined);
  return { status, ...(changes.length > 0 && { recheckInMs: Math.max(0, Math.min(...changes) - now) }) };
}

function inEffect({ flag, flagContext, effect }: FlagInContext, plan: Planned) {
  const { enabledIn, at } = effect;
  const named = environmentsOf(flag).map(([name, environment]) => {
    const pauses = pausesIn(flagContext.everyEnvironment)(name);
    const planned = judgeMomentsIn(name, environment, { ...plan, at, pauses });
    return [name, { enabled: enabledIn.has(name), strategies: strategiesOf(environment).length, ...planned }] as const;
  });
  const on = flagContext.environments.map(wireNameOf).filter((name) => enabledIn.has(name));
  const asked = environmentsOf(flag).flatMap(([name, { enabled }]) => (enabled ? [name] : []));
  return {
    ...(named.length > 0 && { environments: Object.fromEntries(named) }),
    ...(on.length > 0 && { enabledIn: on.join(',') }),
    ...(asked.length > 0 && { askedIn: asked.join(',') }),
  };
}

function nameFollowsPattern(flag: FeatureFlag, { project }: FlagContext): readonly Finding[] {
  const naming = project?.spec.flagNaming;
  const name = wireNameOf(flag);
  if (!naming || matchesNaming(naming.pattern, name) !== false) return [];
  const message = `"${name}" does not match the naming pattern ${naming.pattern} of its project`;
  return [{ severity: 'Warning', path: ['name'], reason: 'NamingPatternMismatch', message }];
}

function strategiesLackNothing(flag: FeatureFlag, { strategyTypes }: FlagContext): readonly Finding[] {
  return environmentsOf(flag).flatMap(([name, environment]) =>
    strategiesOf(environment).flatMap(({ key, strategy }): Finding[] => {
      const type = strategyTypes.get(strategy.name);
      const missing = type ? missingParameters(type, strategy.parameters) : [];
      const lack =
        missing.length > 0
          ? `the strategy type "${strategy.name}" requires ${missing.join(', ')}: add what is missing`
          : rolloutLacks(strategy);
      if (lack === undefined) return [];
      const path = ['environments', name, 'strategies', key, 'parameters'];
      return [{ severity: 'Warning', path, reason: 'MissingParameter', message: lack }];
    }),
  );
}

/** Built-in types require no parameters, but these values are probably a mistake. */
function rolloutLacks({ name, parameters, ramp }: Strategy): string | undefined {
  if (name !== 'flexibleRollout') return undefined;
  const { rollout, groupId } = parameters ?? {};
  if (!ramp && (rollout === undefined || rollout === null))
    return 'without rollout the strategy is on for nobody: add it';
  if (groupId !== '') return undefined;
  return 'all flags with an empty groupId choose the same users: leave it out, or name a group';
}
