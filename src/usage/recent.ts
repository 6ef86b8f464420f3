/** Keeps in memory when flags were last seen and through which edge, with the evaluations of the last hour. */
import type { PlaceSeen } from './read-flags.ts';
import type { EdgeName, EvaluationCounts, UsageReader } from './usage.ts';

/** The limit of flags in environments; those unseen for the longest time are removed above it. */
const MAX_PLACES = 100_000;

const nowhere: ReadonlyMap<string, never> = new Map<string, never>();

type HourOfFlag = EvaluationCounts & { readonly uid: string; readonly environment: string };

interface Recent extends Pick<UsageReader, 'lastSeen' | 'lastEdges' | 'lastHour'> {
  see(place: PlaceSeen): void;
  /** Replaces the evaluations of the last hour. */
  setHour(rows: readonly HourOfFlag[]): void;
}

export function createRecent(): Recent {
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
