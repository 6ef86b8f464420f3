/** When a step of an object happened, as far as the object and what came before and after it tell. */
import { isRecord } from '../kube/raw-object.ts';
import { latestOf, WITHIN_SECOND_MS } from '../kube/written-at.ts';
import { MAX_DEPTH } from '../schema/depth.ts';
import type { CustomObject } from '../schema/object.ts';
import { deletedAtOf } from './authorship.ts';
import type { Frame } from './intake.ts';

type Version = CustomObject<unknown, unknown>;

/** All times are ms since 1970. */
export interface TimedStep {
  readonly before?: Version | undefined;
  readonly after?: Version | undefined;
  /** The last that is known of an object that is gone. */
  readonly last?: Version | undefined;
  /** When it was noticed. */
  readonly at: number;
  /** It was noticed after it had happened: nobody watched then. */
  readonly isLate: boolean;
  /** When everything before had been seen. */
  readonly seenSince: number;
  /** Something before it was written then. */
  readonly since: number;
  /** Something after it was written then at the latest. */
  readonly until: number;
  /** When the version before it was made; 0: not known. */
  readonly previousAt: number;
}

export interface Times {
  readonly createdAt: number;
  /** It happened between then and `createdAt`; null: at `createdAt`. */
  readonly earliestAt: number | null;
}

/** What is noticed later has the time that the object tells. */
const LATE_MS = 10_000;

/** A time within a shorter interval counts as known: objects tell whole seconds. */
const SHORT_MS = 2_000;

/** Never before the version that precedes it, nor after it was noticed. */
export function timesOf(step: TimedStep, isSeveral: boolean): Times {
  const { at, isLate, previousAt } = step;
  const earliest = Math.min(at, Math.max(previousAt, step.since));
  const latest = Math.max(earliest, Math.min(at, step.until));
  const said = saidTimeOf(step);
  const isTimely = said === undefined ? !isLate : at - said <= LATE_MS;
  if (isSeveral) return { createdAt: said === undefined ? latest : within(said, earliest, at), earliestAt: earliest };
  if (isTimely) return { createdAt: at, earliestAt: null };
  // The version before may have a later upper bound than the time that the object tells.
  if (said !== undefined) return between(said, within(said, Math.min(previousAt, at), at));
  return between(earliest, latest);
}

function between(earliest: number, latest: number): Times {
  return { createdAt: latest, earliestAt: latest - earliest > SHORT_MS ? earliest : null };
}

function within(time: number, earliest: number, latest: number): number {
  return Math.min(Math.max(time, earliest), latest);
}

/** Undefined: the object does not tell. */
function saidTimeOf({ before, after, last = before, seenSince }: TimedStep): number | undefined {
  if (!after) return last && deletedAtOf(last.metadata, seenSince);
  if (!before) return latestOf([after.metadata.creationTimestamp]);
  const [was, is] = [latestOf(before.owners.map(timeIn)), latestOf(after.owners.map(timeIn))];
  // Who only takes something away leaves no time.
  const isOfStep = is !== undefined && (is > (was ?? 0) || addsTo(before.rawSpec, after.rawSpec, 0));
  return isOfStep ? is : undefined;
}

const timeIn = ({ time = '' }: { readonly time?: string | undefined }) => time;

/** True where a value is new or another one; false also where nobody can tell. */
function addsTo(before: unknown, after: unknown, level: number): boolean {
  if (level > MAX_DEPTH) return false;
  if (isRecord(after)) {
    if (!isRecord(before)) return true;
    return Object.entries(after).some(([key, value]) => !(key in before) || addsTo(before[key], value, level + 1));
  }
  // Of a list that is a set an item may have been taken away.
  if (Array.isArray(after)) return !Array.isArray(before) || after.length > before.length;
  return after !== before;
}

/** The latest time at which anything up to this frame was written, as objects tell. */
export function reachedAfter(frame: Frame, reachedAt: number): number {
  return frame.tells === 'applied' ? Math.max(reachedAt, Math.min(frame.writtenAt, frame.at)) : reachedAt;
}

/** For each frame a time before which it happened, if those that follow it here give one away. */
export function upperBoundsOf(frames: readonly Frame[], reachedAt: number): readonly number[] {
  let reached = reachedAt;
  const records = frames.map((frame) => {
    const [before, after] = [reached, reachedAfter(frame, reached)];
    reached = after;
    return after > before ? after + WITHIN_SECOND_MS : undefined;
  });
  const bounds: number[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const [index, record] of [...records.entries()].toReversed()) {
    const frame = frames[index];
    bounds.push(frame && 'notAfter' in frame ? Math.min(next, frame.notAfter) : next);
    next = record ?? next;
  }
  return bounds.toReversed();
}
