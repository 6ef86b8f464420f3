/** The places in the sequence of a flag's versions at which an operation can have happened. */
import { differing, holds } from './fields.ts';
import type { Operation, Version } from './history.ts';

/** Indexes into the versions of the flag. */
export interface Placement {
  /** The versions that the operation may have made. */
  readonly made: Set<number>;
  /** The versions that the operation may have found, so that there was nothing to write. */
  readonly met: Set<number>;
}

export type Placements = ReadonlyMap<Operation, Placement>;

/** The paths that a version changed compared with the one before. The first version changed nothing. */
export function changesOf(versions: readonly Version[]): string[][] {
  return versions.map(({ fields }, index) => differing(versions[index - 1]?.fields ?? fields, fields));
}

/** Whether the operation may have had an effect: it was neither refused nor a dry run. */
export function isEffective({ dryRun, outcome }: Operation): boolean {
  return !dryRun && outcome.type !== 'refused';
}

/**
 * Places every operation that may have had an effect wherever values and times allow.
 *
 * Where a version has only one possible maker, its time is known from the times of that operation. That narrows others,
 * which may leave only one maker elsewhere, until nothing moves any more.
 */
export function placeAll(versions: readonly Version[], operations: readonly Operation[]): Placements {
  const changes = changesOf(versions);
  const placements = new Map(
    operations.filter(isEffective).map((operation) => [operation, placeByValue(versions, changes, operation)]),
  );
  for (let before = -1, left = sizeOf(placements); left !== before; before = left, left = sizeOf(placements)) {
    const makers = soleMakers(changes, placements);
    settle(makers, placements);
    narrowByTime(versions, makers, placements);
  }
  return placements;
}

function placeByValue(
  versions: readonly Version[],
  changes: readonly (readonly string[])[],
  operation: Operation,
): Placement {
  const indexes = [...versions.keys()];
  const shown = indexes.filter((index) => isShown(operation, versions[index]));
  const isFrom = (index: number) => isBasis(operation, versions[index]);
  const isChangedByIt = (index: number) => changes[index]?.length !== 0 && isWithin(changes[index], operation);
  return {
    made: new Set(shown.filter((index) => isChangedByIt(index) && isFrom(index - 1))),
    met: new Set(shown.filter(isFrom)),
  };
}

/** Whether the version has what the operation wrote, and is the one that was answered. */
function isShown({ writes, answered, version: named }: Operation, version: Version | undefined): boolean {
  if (!version || (named !== undefined && named !== version.version)) return false;
  return holds(version.fields, writes) && holds(version.fields, answered);
}

/** Whether the operation may have been computed from the version. */
function isBasis({ expected, over }: Operation, version: Version | undefined): boolean {
  if (!version || (over !== undefined && over !== version.version)) return false;
  return holds(version.fields, expected);
}

function isWithin(changed: readonly string[] = [], { writes }: Operation): boolean {
  return changed.every((path) => Object.hasOwn(writes, path));
}

type Makers = ReadonlyMap<number, Operation>;

/** Operations that certainly made a version, because nothing else explains it. */
function soleMakers(changes: readonly (readonly string[])[], placements: Placements): Makers {
  const possible = makersOf(changes, placements);
  return new Map(
    [...possible].flatMap(([index, [one, ...others]]) => (one && others.length === 0 ? [[index, one]] : [])),
  );
}

/** The operations that may have made each version that changed something. */
export function makersOf(changes: readonly (readonly string[])[], placements: Placements): Map<number, Operation[]> {
  const steps = changes.flatMap((changed, index) => (changed.length > 0 ? [index] : []));
  const makers = new Map<number, Operation[]>(steps.map((index) => [index, []]));
  for (const [operation, { made }] of placements) for (const index of made) makers.get(index)?.push(operation);
  return makers;
}

/** The maker of a version made no other one, and did not find that there was nothing to write. */
function settle(makers: Makers, placements: Placements): void {
  for (const [index, operation] of makers) {
    const placement = placements.get(operation);
    if (!placement) continue;
    // The sole maker of two versions keeps both: the pairing then finds that one of them is unexplained.
    keep(placement.made, (other) => other === index || makers.get(other) === operation);
    placement.met.clear();
  }
}

function narrowByTime(versions: readonly Version[], makers: Makers, placements: Placements): void {
  const timeline = timelineOf(versions, makers);
  for (const [operation, { made, met }] of placements) {
    const oldest = timeline.newestBefore(operation.startedAt);
    const end = operation.outcome.type === 'unknown' ? Number.POSITIVE_INFINITY : operation.endedAt;
    const tooNew = timeline.oldestAfter(end);
    keep(made, (index) => index > oldest && index < tooNew);
    keep(met, (index) => index >= oldest && index < tooNew);
  }
}

function keep(indexes: Set<number>, isPossible: (index: number) => boolean): void {
  for (const index of indexes) if (!isPossible(index)) indexes.delete(index);
}

interface Timeline {
  /** The newest version that certainly existed at this time. */
  newestBefore(time: number): number;
  /** The oldest version that certainly did not exist yet at this time. */
  oldestAfter(time: number): number;
}

/** A version existed when the watch reported it or when its writer got an answer, and not before its writer began. */
function timelineOf(versions: readonly Version[], makers: Makers): Timeline {
  const known = [...makers].map(([index, { startedAt, endedAt, outcome }]) => {
    return {
      index,
      notBefore: startedAt,
      notAfter: outcome.type === 'acknowledged' ? endedAt : Number.POSITIVE_INFINITY,
    };
  });
  return {
    newestBefore(time) {
      const recorded = versions.findLastIndex(({ seenAt }) => seenAt < time);
      return known.reduce(
        (newest, { index, notAfter }) => (notAfter < time ? Math.max(newest, index) : newest),
        recorded,
      );
    },
    oldestAfter(time) {
      const none = versions.length;
      return known.reduce(
        (oldest, { index, notBefore }) => (notBefore > time ? Math.min(oldest, index) : oldest),
        none,
      );
    },
  };
}

function sizeOf(placements: Placements): number {
  return [...placements.values()].reduce((sum, { made, met }) => sum + made.size + met.size, 0);
}
