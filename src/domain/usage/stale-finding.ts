/** What the use of a flag says about its removal, with the numbers behind it. */
import { DAY_MS } from '../../model/durations.ts';
import { creationTimeOf, flagTypeOf, isArchived } from '../flag/flag-values.ts';
import { hasChoice, isOnForEveryone } from './everyone.ts';
import {
  applicationsIn,
  type EnvironmentUsage,
  type FlagInUse,
  lastAskedAt,
  productionOf,
  RECENT_MS,
} from './flag-in-use.ts';
import { type StaleDays, staleDaysOf } from './stale-days.ts';

export const staleReasons = [
  /** Asked for nowhere since it was created. */
  'NeverUsed',
  /** Asked for nowhere for a long time. */
  'Unused',
  /** Only yes in production, where it is on for everyone. */
  'AlwaysOn',
  /** Only no in production. */
  'AlwaysOff',
  /** Archived, and still asked for. */
  'ArchivedInUse',
  /** Asked for, and there is no flag of that name. */
  'UnknownInUse',
  /** Not asked for itself; other flags depend on it. */
  'DependedOn',
] as const;
export type StaleReason = (typeof staleReasons)[number];

export interface StaleFinding {
  readonly reason: StaleReason;
  /** Since when the reason holds, in ms since 1970. */
  readonly since: number;
  /** Whole days from then to the last report of any SDK. */
  readonly days: number;
  readonly usage: readonly EnvironmentUsage[];
  readonly applications: readonly string[];
  readonly dependents: readonly string[];
  readonly advice: string;
  /** Whether the code behind the flag stays when the flag is removed; null: the use of the flag does not say. */
  readonly keep: boolean | null;
}

/**
 * The time for which SDKs have reported, in ms since 1970. A flag without reports in a time without any is no evidence.
 */
export interface Measured {
  readonly since: number;
  /** The last report of any SDK about any flag. */
  readonly until: number;
}

export interface StaleRules {
  /** Undefined: nothing was reported yet. */
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

/** Kill switches and permissions may well have one answer for years. */
const exempt: ReadonlySet<string> = new Set(['kill-switch', 'permission']);

/** Undefined: nothing speaks for the removal of the flag. */
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

/** Every environment of type production where it was asked for has given the same answer during the whole window. */
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

/** Since when there was one answer only: the last other one, or its first. */
function sinceOf(first: number | undefined, lastOther: number | undefined): number | undefined {
  return first === undefined ? undefined : (lastOther ?? first);
}
