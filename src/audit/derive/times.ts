/** Derives when a step of an object happened from the object and the steps around it. */

import { latestOf, WITHIN_SECOND_MS } from '../../kube/object/written-at.ts';
import { MAX_DEPTH } from '../../model/depth.ts';
import { isRecord } from '../../model/json.ts';
import type { AnyObject } from '../../model/object.ts';
import { deletedAtOf } from './authorship.ts';

/** All times are ms since 1970. */
export interface TimedStep {
  readonly before?: AnyObject | undefined;
  readonly after?: AnyObject | undefined;
  /** The last known version of a deleted object. */
  readonly last?: AnyObject | undefined;
  /** When the step was seen. */
  readonly at: number;
  /** The step happened while no watch was running. */
  readonly isLate: boolean;
  /** The time up to which all earlier changes were seen. */
  readonly seenSince: number;
  /** Lower bound: an earlier step was written then. */
  readonly since: number;
  /** Upper bound: a later step was written by then. */
  readonly until: number;
  /** When the previous version was written; 0: unknown. */
  readonly previousAt: number;
}

export interface Times {
  readonly createdAt: number;
  /** The step happened between this time and `createdAt`; null: at `createdAt`. */
  readonly earliestAt: number | null;
}

/** A step that is seen later than this gets exactly the time that the object states. */
const LATE_MS = 10_000;

/** An interval up to this length counts as exact, because objects state whole seconds. */
const SHORT_MS = 2_000;

/** Never before the previous version, nor after the step was seen. */
export function timesOf(step: TimedStep, isSeveral: boolean): Times {
  const { at, isLate, previousAt } = step;
  const earliest = Math.min(at, Math.max(previousAt, step.since));
  const latest = Math.max(earliest, Math.min(at, step.until));
  const stated = statedTimeOf(step);
  const isTimely = !isLate && (stated === undefined || at - stated <= LATE_MS);
  if (isSeveral)
    return { createdAt: stated === undefined ? latest : within(stated, earliest, at), earliestAt: earliest };
  if (isTimely) return { createdAt: timelyTimeOf(step, stated), earliestAt: null };
  // The previous version may have a later upper bound than the stated time.
  if (stated !== undefined) return between(stated, within(stated, Math.min(previousAt, at), at));
  return between(earliest, latest);
}

/**
 * When the step was seen, and at the latest the end of the second in which it was written: from then on, the new
 * version is certainly in force.
 */
function timelyTimeOf({ after, at, previousAt }: TimedStep, stated: number | undefined): number {
  if (!after || stated === undefined) return at;
  return within(stated + WITHIN_SECOND_MS, Math.min(previousAt, at), at);
}

/** When a version came into force: not before `earliestAt`, and from `fromAt` on. */
export interface ForceSpan {
  readonly earliestAt: number;
  readonly fromAt: number;
}

/**
 * Narrower than `timesOf` says, which counts the moment when a change was seen as exact: never later than the change
 * was seen, and not narrower than what the object and the steps around it show.
 */
export function forceSpanOf(step: TimedStep, isSeveral: boolean): ForceSpan {
  const { before, after, at, isLate } = step;
  const floor = Math.min(at, Math.max(before ? (specWrittenAt(before) ?? 0) : 0, step.since));
  const ceiling = Math.max(floor, Math.min(at, step.until));
  if (isSeveral) return { earliestAt: floor, fromAt: ceiling };
  const stated = statedTimeOf(step);
  if (stated !== undefined) {
    const earliestAt = Math.min(stated, at);
    // A deletion happens some time after its stamp.
    return { earliestAt, fromAt: after ? Math.min(at, stated + WITHIN_SECOND_MS) : Math.max(earliestAt, ceiling) };
  }
  return isLate ? { earliestAt: floor, fromAt: ceiling } : { earliestAt: Math.max(floor, at - LATE_MS), fromAt: at };
}

/** When the spec was written, in whole seconds. */
export function specWrittenAt({ metadata, owners }: Pick<AnyObject, 'metadata' | 'owners'>): number | undefined {
  return latestOf([metadata.creationTimestamp, ...owners.map(timeIn)]);
}

function between(earliest: number, latest: number): Times {
  return { createdAt: latest, earliestAt: latest - earliest > SHORT_MS ? earliest : null };
}

function within(time: number, earliest: number, latest: number): number {
  return Math.min(Math.max(time, earliest), latest);
}

/** The time that the object states; undefined: none. */
function statedTimeOf({ before, after, last = before, seenSince }: TimedStep): number | undefined {
  if (!after) return last && deletedAtOf(last.metadata, seenSince);
  if (!before) return latestOf([after.metadata.creationTimestamp]);
  const [was, is] = [latestOf(before.owners.map(timeIn)), latestOf(after.owners.map(timeIn))];
  // A write that only removes fields leaves no time in managedFields.
  const isOfStep = is !== undefined && (is > (was ?? 0) || addsTo(before.rawSpec, after.rawSpec, 0));
  return isOfStep ? is : undefined;
}

const timeIn = ({ time = '' }: { readonly time?: string | undefined }) => time;

/** True if a value was added or changed; false also if that cannot be decided. */
function addsTo(before: unknown, after: unknown, level: number): boolean {
  if (level > MAX_DEPTH) return false;
  if (isRecord(after)) {
    if (!isRecord(before)) return true;
    return Object.entries(after).some(([key, value]) => !(key in before) || addsTo(before[key], value, level + 1));
  }
  // A change of a list without growth may be the removal of a set entry.
  if (Array.isArray(after)) return !Array.isArray(before) || after.length > before.length;
  return after !== before;
}
