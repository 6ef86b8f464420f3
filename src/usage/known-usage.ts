/** Keeps in memory when each flag was requested, for lists and statuses. */

import { type EnvironmentUsage, RECENT_MS } from '../domain/usage/flag-in-use.ts';
import type { Measured } from '../domain/usage/stale-finding.ts';
import { type Clock, pause } from '../model/clock.ts';
import type { FlagUsage, UnknownFlag, UsageReader } from './usage.ts';

export interface KnownUsage {
  /** Undefined if nothing was read yet, or no SDK has reported. */
  readonly measured: () => Measured | undefined;
  /** Whether the database was read at least once. */
  readonly isRead: () => boolean;
  /** The use of the flag by environment; the same object until something in it changes. */
  readonly of: (flagUid: string) => readonly EnvironmentUsage[];
  readonly unknown: () => readonly UnknownFlag[];
  /** Rejects, and keeps the known usage, if the database cannot be read. */
  refresh(): Promise<void>;
  /** Refreshes at intervals until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface KnownUsageParts {
  readonly reader: Pick<UsageReader, 'summaryOf' | 'lastSeen' | 'unknownFlags'>;
  /** The uids of all flags. */
  readonly flagUids: () => Iterable<string>;
  readonly refreshMs: number;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** The number of flags in one statement of the database; a pause between statements lets others use it. */
const FLAGS_PER_READ = 1_000;

export function createKnownUsage(parts: KnownUsageParts): KnownUsage {
  const { reader, flagUids, refreshMs, clock, now, onFailure } = parts;
  let summaries: ReadonlyMap<string, readonly FlagUsage[]> = new Map();
  let unknown: readonly UnknownFlag[] = [];
  let archived: ReadonlyMap<string, readonly EnvironmentUsage[]> = new Map();
  let measured: Measured | undefined;
  let isRead = false;
  const merged = new Map<string, Merged>();

  async function refresh(): Promise<void> {
    const uids = [...flagUids()];
    const fresh = new Map<string, readonly FlagUsage[]>();
    for (let start = 0; start < uids.length; start += FLAGS_PER_READ) {
      const found = await reader.summaryOf(uids.slice(start, start + FLAGS_PER_READ), now() - RECENT_MS);
      for (const [uid, usage] of found) fresh.set(uid, usage.map(withoutDays));
    }
    unknown = await reader.unknownFlags();
    archived = sightingsOfArchived(unknown);
    summaries = fresh;
    measured = measuredIn(fresh);
    isRead = true;
    merged.clear();
  }

  return {
    measured: () => measured,
    isRead: () => isRead,
    of(flagUid) {
      const live = reader.lastSeen(flagUid);
      const latest = Math.max(0, ...live.values());
      const known = merged.get(flagUid);
      if (known && known.latest === latest) return known.usage;
      const stored = [...(summaries.get(flagUid) ?? []), ...(archived.get(flagUid) ?? [])];
      const usage = merge(stored, live);
      merged.set(flagUid, { latest, usage });
      return usage;
    },
    unknown: () => unknown,
    refresh,
    async run(signal) {
      while (!signal.aborted) {
        await refresh().catch(onFailure);
        await pause(clock, refreshMs, signal);
      }
    },
  };
}

interface Merged {
  readonly latest: number;
  readonly usage: readonly EnvironmentUsage[];
}

/** Memory keeps the last times of all flags, but no sums. */
function withoutDays(usage: FlagUsage): FlagUsage {
  return { ...usage, days: [] };
}

function measuredIn(summaries: ReadonlyMap<string, readonly FlagUsage[]>): Measured | undefined {
  let [since, until] = [Number.POSITIVE_INFINITY, 0];
  for (const usage of summaries.values()) {
    for (const { firstAt, lastAt } of usage) [since, until] = [Math.min(since, firstAt), Math.max(until, lastAt)];
  }
  return until === 0 ? undefined : { since, until };
}

/** Evaluations that memory has and the summary does not have yet count neither as yes nor as no. */
function merge(stored: readonly EnvironmentUsage[], live: ReadonlyMap<string, number>): readonly EnvironmentUsage[] {
  const byName = new Map(stored.map((usage) => [usage.environment, usage]));
  for (const [environment, lastAt] of live) {
    const before = byName.get(environment) ?? unanswered(environment, lastAt);
    byName.set(environment, { ...before, lastAt: Math.max(before.lastAt, lastAt) });
  }
  return [...byName.values()];
}

function unanswered(environment: string, at: number, appNames: readonly string[] = []): EnvironmentUsage {
  const never = { firstYesAt: undefined, lastYesAt: undefined, firstNoAt: undefined, lastNoAt: undefined };
  return { environment, firstAt: at, lastAt: at, ...never, appNames };
}

/** The sightings by uid. */
function sightingsOfArchived(unknown: readonly UnknownFlag[]): ReadonlyMap<string, readonly EnvironmentUsage[]> {
  const ofArchived = Map.groupBy(unknown, ({ archivedUid }) => archivedUid ?? '');
  return new Map(
    [...ofArchived].map(([uid, reports]) => {
      const places = Map.groupBy(reports, ({ environment }) => environment);
      const usage = [...places].map(([environment, sightings]) => {
        const appNames = [...new Set(sightings.map(({ appName }) => appName))].sort();
        return unanswered(environment, Math.max(...sightings.map(({ lastAt }) => lastAt)), appNames);
      });
      return [uid, usage] as const;
    }),
  );
}
