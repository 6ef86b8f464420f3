/** Keeps in memory when flags were last seen and through which edge, with the evaluations of the last hour. */
import type { PlaceSeen } from './read-flags.ts';
import type { EdgeName, EvaluationCounts } from './usage.ts';

/** The limit of flags in environments; those unseen for the longest time are removed above it. */
const MAX_PLACES = 100_000;

const nowhere: ReadonlyMap<string, never> = new Map<string, never>();

interface RecentUsage {
  see(place: PlaceSeen): void;
  /** Replaces the counts of the last hour. */
  setHour(rows: readonly (EvaluationCounts & { readonly uid: string; readonly environment: string })[]): void;
  /** Ms since 1970, by environment. */
  lastSeen(flagUid: string): ReadonlyMap<string, number>;
  lastEdges(flagUid: string): ReadonlyMap<string, EdgeName>;
  lastHour(flagUid: string): ReadonlyMap<string, EvaluationCounts>;
}

export function createRecent(): RecentUsage {
  const seen = new Map<string, Map<string, number>>();
  const edges = new Map<string, Map<string, EdgeName>>();
  let places = 0;
  let hour = new Map<string, Map<string, EvaluationCounts>>();

  function dropLongestUnseen(): void {
    for (const [uid, environments] of seen) {
      if (places <= MAX_PLACES) return;
      seen.delete(uid);
      edges.delete(uid);
      places -= environments.size;
    }
  }

  function setEdge({ uid, environment, via }: PlaceSeen): void {
    const ofFlag = edges.get(uid) ?? new Map<string, EdgeName>();
    if (via) edges.set(uid, ofFlag.set(environment, via));
    else ofFlag.delete(environment);
  }

  function see(place: PlaceSeen): void {
    const { uid, environment, lastAt } = place;
    const environments = seen.get(uid) ?? new Map<string, number>();
    const before = environments.size;
    if (lastAt >= (environments.get(environment) ?? 0)) {
      environments.set(environment, lastAt);
      setEdge(place);
    }
    places += environments.size - before;
    // The map keeps the order in which flags were seen.
    seen.delete(uid);
    seen.set(uid, environments);
    dropLongestUnseen();
  }

  return {
    see,
    setHour(rows) {
      hour = new Map();
      for (const { uid, environment, yes, no } of rows) {
        const environments = hour.get(uid) ?? new Map<string, EvaluationCounts>();
        hour.set(uid, environments.set(environment, { yes, no }));
      }
    },
    lastSeen: (flagUid) => seen.get(flagUid) ?? nowhere,
    lastEdges: (flagUid) => edges.get(flagUid) ?? nowhere,
    lastHour: (flagUid) => hour.get(flagUid) ?? nowhere,
  };
}
