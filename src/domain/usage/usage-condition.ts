/** The condition Usage of a flag: what its use shows, in words for kubectl. */
import { DAY_MS } from '../../model/clock.ts';
import { cut } from '../../model/text.ts';
import { type Condition, type UsageReason, usageReasons } from '../../schema/condition.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { FurtherCondition } from '../judgement/findings.ts';
import { applicationsIn, type EnvironmentUsage, type FlagInUse, lastAskedAt, RECENT_MS } from './flag-in-use.ts';
import { findStale, type StaleFinding, type StaleRules } from './stale-finding.ts';

const WRITTEN_EVERY_MS = DAY_MS;
const MAX_NAMED = 10;
const MAX_MESSAGE_LENGTH = 1024;

/**
 * A message with the same reason is written at most once a day: until then the previous one stays. Messages contain
 * days and no counts, so that most of them never change.
 */
export function usageCondition(subject: FlagInUse, rules: StaleRules): readonly FurtherCondition[] {
  const fresh = freshCondition(subject, rules);
  const before = usageConditionOf(subject.flag);
  if (!fresh || !before || before.reason !== fresh.reason) return fresh ? [fresh] : [];
  const isOfToday = rules.now - Date.parse(before.lastTransitionTime) < WRITTEN_EVERY_MS;
  return [isOfToday ? { ...fresh, message: before.message } : fresh];
}

/** The condition that the status has, for as long as nothing newer is known. */
export function presentUsageCondition(flag: FeatureFlag): readonly FurtherCondition[] {
  const before = usageConditionOf(flag);
  const reason = usageReasons.find((one) => one === before?.reason);
  return before && reason ? [condition(reason, before.message)] : [];
}

/** Whether the condition in the status differs from this one. */
export function isUsageConditionDue(flag: FeatureFlag, [wanted]: readonly FurtherCondition[]): boolean {
  const before = usageConditionOf(flag);
  return before?.reason !== wanted?.reason || before?.message !== wanted?.message;
}

function usageConditionOf({ status }: FeatureFlag): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Usage');
}

function freshCondition(subject: FlagInUse, rules: StaleRules): FurtherCondition | undefined {
  const found = findStale(subject, rules);
  const reason = usageReasons.find((one) => one === found?.reason);
  if (found && reason) return condition(reason, `Warning: ${warningOf(found)}`);
  const lastAt = lastAskedAt(subject.usage);
  // Memory has a request before the applications are read: a message without their names would stay for a day.
  const isNamed = applicationsIn(subject.usage).length > 0;
  if (lastAt === undefined || rules.now - lastAt > RECENT_MS || !isNamed) return undefined;
  return condition('InUse', `Asked for in the last 24 hours: ${applicationsText(subject.usage)}`);
}

function condition(reason: UsageReason, message: string): FurtherCondition {
  return { type: 'Usage', status: 'True', reason, message: cut(message, MAX_MESSAGE_LENGTH) };
}

function warningOf({ reason, since, usage, advice }: StaleFinding): string {
  const day = new Date(since).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const unused = `no SDK has asked for the flag since ${day}`;
  const facts: Readonly<Partial<Record<StaleFinding['reason'], string>>> = {
    NeverUsed: unused,
    Unused: unused,
    AlwaysOn: `only yes in production since ${day}, and on for everyone`,
    AlwaysOff: `only no in production since ${day}`,
    ArchivedInUse: `archived, and asked for in the last 24 hours: ${applicationsText(usage)}`,
  };
  return `${facts[reason]}. ${advice}`;
}

/** The applications by environment, with a limited number of names. */
function applicationsText(usage: readonly EnvironmentUsage[]): string {
  return usage
    .filter(({ appNames }) => appNames.length > 0)
    .slice(0, MAX_NAMED)
    .map(({ environment, appNames }) => `${environment} by ${namesOf(appNames)}`)
    .join('; ');
}

function namesOf(appNames: readonly string[]): string {
  const more = appNames.length - MAX_NAMED;
  return appNames.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
