/** Proves of a history that no write was lost, invented or mixed up, or reports the contradiction. */
import { holds } from './fields.ts';
import type { FinalView, History, Operation, Read, Version } from './history.ts';
import { isLifeEntryPoint } from './life.ts';
import { unpaired } from './pairing.ts';
import { changesOf, isEffective, makersOf, type Placements, placeAll } from './placements.ts';

/**
 * Returns a sentence for each problem. If there are none, the history can be explained by writes one after the other.
 */
export function checkHistory({ operations, reads, versions, finalViews }: History): string[] {
  const flags = [...new Set([...versions, ...operations].map(({ flag }) => flag))].sort();
  return flags.flatMap((flag) => {
    const of = <T extends { readonly flag: string }>(all: readonly T[]) => all.filter((one) => one.flag === flag);
    const sequence = of(versions);
    const placements = placeAll(sequence, of(operations));
    return [
      ...namesakes(sequence),
      ...unexplainedVersions(sequence, of(operations), placements),
      ...lostOperations(placements),
      ...checkReads(sequence, of(reads), placements),
      ...disagreements(sequence, of(finalViews)),
    ];
  });
}

/**
 * Every version that changes something needs an operation of its own that wrote all of that.
 *
 * This and `lostOperations` pair on their own; by the theorem of Mendelsohn and Dulmage one pairing then does both.
 */
function unexplainedVersions(
  versions: readonly Version[],
  operations: readonly Operation[],
  placements: Placements,
): string[] {
  const changes = changesOf(versions);
  return unpaired(makersOf(changes, placements)).map((index) => {
    const { flag, version, fields = {}, seenAt = 0 } = versions[index] ?? {};
    const before = versions[index - 1]?.fields ?? {};
    const changed = changes[index] ?? [];
    const recorded = changed.map((path) => `${path} from ${before[path]} to ${fields[path]}`).join(', ');
    const suspect = operations.findLast(
      (one) =>
        !isEffective(one) && one.startedAt < seenAt && changed.every((path) => one.writes[path] === fields[path]),
    );
    const hint = suspect ? `; it looks like ${inWords(suspect)}` : '';
    return `${flag}: version ${version} changes ${recorded}, and no operation of that moment is left to explain it${hint}`;
  });
}

/** Every acknowledged operation made a version, or found one that had all its values already. */
function lostOperations(placements: Placements): string[] {
  const makers = new Map(
    [...placements]
      .filter(([{ outcome }, { met }]) => outcome.type === 'acknowledged' && met.size === 0)
      .map(([operation, { made }]) => [operation, made]),
  );
  return unpaired(makers).map((operation) => `${operation.flag}: ${inWords(operation)} is in no version of its time`);
}

/** Two objects never have the same name at the same time. */
function namesakes(versions: readonly Version[]): string[] {
  let living: string | undefined;
  return versions.flatMap(({ flag, uid, version, fields }) => {
    const other = living;
    const isThere = fields['exists'] === 'true';
    if (isThere) living = uid;
    else if (uid === living) living = undefined;
    return isThere && other !== undefined && other !== uid ? [`${flag}: version ${version} is of a second object`] : [];
  });
}

function disagreements(versions: readonly Version[], views: readonly FinalView[]): string[] {
  const last = versions.at(-1);
  return views
    .filter(({ fields }) => !last || !holds(last.fields, fields))
    .map(({ who, flag }) => `${flag}: in the end ${who} shows another state than the last version, ${last?.version}`);
}

function inWords({ id, writer, entryPoint, dryRun, writes, outcome }: Operation): string {
  // A creation or a deletion changes all fields; the description identifies the flag.
  const recorded = Object.entries(writes).filter(([path]) => !isLifeEntryPoint(entryPoint) || path === 'description');
  const what = recorded.map(([path, value]) => `${path}=${value}`);
  const how = outcome.type === 'refused' ? `refused ${outcome.status}` : outcome.type;
  return `operation ${id} (${entryPoint} by ${writer}, ${how}${dryRun ? ', dry run' : ''}: ${what.join(', ')})`;
}

/** Knowledge from a time on: the replica shows this version or a newer one. */
interface Floor {
  readonly replica: string;
  readonly from: number;
  readonly index: number;
}

/**
 * A replica shows what it acknowledged, and never goes back. Takes each read for as old as it can be, which leaves the
 * widest range for the reads after it.
 *
 * A read that overlaps another one, or an acknowledgement, may be on either side of it.
 */
function checkReads(versions: readonly Version[], reads: readonly Read[], placements: Placements): string[] {
  const floors = [...placements].flatMap(([operation, { made, met }]) => floorOf(operation, [...made, ...met]));
  const findings: string[] = [];
  for (const read of reads.toSorted((one, other) => one.endedAt - other.endedAt)) {
    const known = floors.filter(({ replica, from }) => replica === read.replica && from < read.startedAt);
    const floor = known.reduce((highest, { index }) => Math.max(highest, index), 0);
    const index = versions.findIndex(({ fields }, at) => at >= floor && holds(fields, read.fields));
    if (index === -1) findings.push(describeRead(read, versions, floor));
    else floors.push({ replica: read.replica, from: read.endedAt, index });
  }
  return findings;
}

function floorOf({ replica, outcome, endedAt }: Operation, placed: readonly number[]): Floor[] {
  if (replica === undefined || outcome.type !== 'acknowledged' || placed.length === 0) return [];
  return [{ replica, from: endedAt, index: Math.min(...placed) }];
}

function describeRead({ replica, flag, fields }: Read, versions: readonly Version[], floor: number): string {
  const isOld = versions.some((version) => holds(version.fields, fields));
  const what = isOld ? 'an older state than' : 'a state that never was, after';
  return `${flag}: ${replica} shows ${what} version ${versions[floor]?.version}, which it had shown or acknowledged: ${JSON.stringify(fields)}`;
}
