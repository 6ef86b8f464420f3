/** Proves of the reads of one flag that a replica shows what it acknowledged, and never goes back. */
import { holds } from './fields.ts';
import type { Operation, Read, Version } from './history.ts';
import type { Placements } from './placements.ts';

/** Knowledge from a time on: the replica shows this version or a newer one. */
interface Floor {
  readonly replica: string;
  readonly from: number;
  readonly index: number;
}

/**
 * Takes each read for as old as it can be, which leaves the widest range for the reads after it.
 *
 * A read that overlaps another one, or an acknowledgement, may be on either side of it.
 */
export function checkReads(versions: readonly Version[], reads: readonly Read[], placements: Placements): string[] {
  const floors = [...placements].flatMap(([operation, { made, met }]) => floorOf(operation, [...made, ...met]));
  const findings: string[] = [];
  for (const read of reads.toSorted((one, other) => one.endedAt - other.endedAt)) {
    const known = floors.filter(({ replica, from }) => replica === read.replica && from < read.startedAt);
    const floor = known.reduce((highest, { index }) => Math.max(highest, index), 0);
    const index = versions.findIndex(({ fields }, at) => at >= floor && holds(fields, read.fields));
    if (index === -1) findings.push(inWords(read, versions, floor));
    else floors.push({ replica: read.replica, from: read.endedAt, index });
  }
  return findings;
}

function floorOf({ replica, outcome, endedAt }: Operation, placed: readonly number[]): Floor[] {
  if (replica === undefined || outcome.type !== 'acknowledged' || placed.length === 0) return [];
  return [{ replica, from: endedAt, index: Math.min(...placed) }];
}

function inWords({ replica, flag, fields }: Read, versions: readonly Version[], floor: number): string {
  const isOld = versions.some((version) => holds(version.fields, fields));
  const what = isOld ? 'an older state than' : 'a state that never was, after';
  return `${flag}: ${replica} shows ${what} version ${versions[floor]?.version}, which it had shown or acknowledged: ${JSON.stringify(fields)}`;
}
