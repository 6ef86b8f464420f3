/** What the use of a flag says about its removal, including the numbers behind it. */

import { DAY_MS } from '../../model/clock.ts';
import type { FlagSpec, FlagType } from '../../schema/feature-flag.ts';
import { creationTimeOf, flagTypeOf, isArchived } from '../flag/flag-values.ts';
import { hasChoice, isOnForEveryone } from '../flag/share.ts';
import {
  applicationsIn,
  type EnvironmentUsage,
  type FlagInUse,
  lastAskedAt,
  productionOf,
  RECENT_MS,
} from './flag-in-use.ts';

export const staleReasons = [
  /** The flag was not requested in any environment since it was created. */
  'NeverUsed',
  /** The flag was not requested in any environment for a long time. */
  'Unused',
  /** All answers in production are yes, where the flag is on for everyone. */
  'AlwaysOn',
  /** All answers in production are no. */
  'AlwaysOff',
  /** The flag is archived, and still requested. */
  'ArchivedInUse',
  /** The name is requested, and no flag has it. */
  'UnknownInUse',
  /** The flag itself is not requested, but other flags depend on it. */
  'DependedOn',
] as const;
export type StaleReason = (typeof staleReasons)[number];

export interface StaleFinding {
  readonly reason: StaleReason;
  /** The time from which the reason holds, in ms since 1970. */
  readonly since: number;
  /** Whole days from `since` to the last report of any SDK. */
  readonly days: number;
  readonly usage: readonly EnvironmentUsage[];
  readonly applications: readonly string[];
  readonly dependents: readonly string[];
  readonly advice: string;
  /** Whether the code behind the flag stays when the flag is removed; null if the use of the flag does not show it. */
  readonly keep: boolean | null;
}

/**
 * The time for which SDKs have reported, in ms since 1970. The lack of reports on a flag is no evidence if there were
 * no reports at all.
 */
export interface Measured {
  readonly since: number;
  /** The last report of any SDK about any flag. */
  readonly until: number;
}

export interface StaleRules {
  /** Undefined if nothing was reported yet. */
  readonly measured: Measured | undefined;
  readonly staleDays: StaleDays;
  /** Ms since 1970. */
  readonly now: number;
}

const advices: Readonly<Record<Exclude<StaleReason, 'UnknownInUse'>, string>> = {
  NeverUsed: 'Remove the flag, or check that the applications that use it report metrics.',
  Unused: 'Remove the flag: no application asks for it any more.',
  AlwaysOn: 'Remove the flag and keep the code behind it.',
  AlwaysOff: 'Remove the flag and the code behind it.',
  ArchivedInUse: 'Remove the flag from these applications, or revive it.',
  DependedOn: 'Keep the flag as long as other flags depend on it: SDKs do not report the flags that others depend on.',
};

/** Kill switches and permissions can have the same answer for years. */
const exempt: ReadonlySet<string> = new Set(['kill-switch', 'permission']);

/** Undefined if there is no evidence for the removal of the flag. */
export function findStale(subject: FlagInUse, rules: StaleRules): StaleFinding | undefined {
  if (!rules.measured) return undefined;
  if (isArchived(subject.flag)) return archivedInUse(subject, rules.measured, rules.now);
  const measuring = { ...rules.measured, windowMs: staleDaysOf(subject.flag.spec, rules.staleDays) * DAY_MS };
  return unused(subject, measuring) ?? oneSided(subject, measuring);
}

function finding(
  reason: keyof typeof advices,
  subject: FlagInUse,
  { since, until, keep = null }: { readonly since: number; readonly until: number; readonly keep?: boolean | null },
): StaleFinding {
  const { usage, dependents } = subject;
  return {
    reason,
    since,
    days: Math.max(0, Math.floor((until - since) / DAY_MS)),
    usage,
    applications: applicationsIn(usage),
    dependents,
    advice: advices[reason],
    keep,
  };
}

function archivedInUse(subject: FlagInUse, { until }: Measured, now: number): StaleFinding | undefined {
  const lastAt = lastAskedAt(subject.usage);
  if (lastAt === undefined || now - lastAt > RECENT_MS || applicationsIn(subject.usage).length === 0) return undefined;
  return finding('ArchivedInUse', subject, { since: lastAt, until });
}

interface Measuring extends Measured {
  readonly windowMs: number;
}

function unused(subject: FlagInUse, { since: measuredSince, until, windowMs }: Measuring): StaleFinding | undefined {
  const { flag, usage, dependents } = subject;
  const lastAt = lastAskedAt(usage);
  const since = lastAt ?? Math.max(creationTimeOf(flag), measuredSince);
  if (until - since < windowMs) return undefined;
  if (dependents.length > 0) return finding('DependedOn', subject, { since, until });
  return finding(lastAt === undefined ? 'NeverUsed' : 'Unused', subject, { since, until });
}

/**
 * A finding if, in every environment of type production where the flag was requested, its answer stayed the same during
 * the whole window.
 */
function oneSided(subject: FlagInUse, { until, windowMs }: Measuring): StaleFinding | undefined {
  const { flag, environments, usage, enabledIn } = subject;
  const production = productionOf(environments);
  const asked = usage.filter(({ environment, lastAt }) => production.has(environment) && until - lastAt < windowMs);
  if (exempt.has(flagTypeOf(flag.spec)) || asked.length === 0) return undefined;
  const holds = (sides: readonly (number | undefined)[]): sides is readonly number[] =>
    sides.every((since) => since !== undefined && until - since >= windowMs);
  const on = asked.map(({ firstYesAt, lastNoAt }) => sinceOf(firstYesAt, lastNoAt));
  const isForAll = asked.every(
    ({ environment }) =>
      enabledIn.has(environment) && isOnForEveryone(flag, environment) && !hasChoice(flag, environment),
  );
  if (isForAll && holds(on)) return finding('AlwaysOn', subject, { since: Math.max(...on), until, keep: true });
  const off = asked.map(({ firstNoAt, lastYesAt }) => sinceOf(firstNoAt, lastYesAt));
  if (holds(off)) return finding('AlwaysOff', subject, { since: Math.max(...off), until, keep: false });
  return undefined;
}

/** Since when all answers have been the same: the last opposite answer, or the first of these. */
function sinceOf(first: number | undefined, lastOther: number | undefined): number | undefined {
  return first === undefined ? undefined : (lastOther ?? first);
}

export type StaleDays = Readonly<Record<FlagType, number>>;

/** The flag's own lifetime takes precedence over the days of its type. */
function staleDaysOf(spec: FlagSpec, byType: StaleDays): number {
  return spec.lifetimeDays ?? byType[flagTypeOf(spec)];
}
