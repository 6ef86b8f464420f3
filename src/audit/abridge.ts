/** Bounds what is kept of an entry: of content that is too large a digest stays, with what is small and what differs. */
import { createHash } from 'node:crypto';
import { type Differences, differencesOf } from './differences.ts';
import type { JsonObject, NewEntry } from './entry.ts';

/** Of `data`, `preData` and `tags` together, as JSON. As long an entry is whole in its Event, too. */
export const MOST_CONTENT_CHARACTERS = 32 * 1024;
/** Of all entries of one step together; what comes beyond that keeps so little each. */
export const MOST_STEP_CHARACTERS = 256 * 1024;
const LEAST_CONTENT_CHARACTERS = 2 * 1024;
/** Shares of the bound, on each side: of one member that stays as it is, of all of these, of differences. */
const [MEMBER, MEMBERS, DIFFERENCES] = [0.15, 0.3, 0.15];

type Content = Pick<NewEntry, 'data' | 'preData' | 'tags'>;

/** What stands in place of what was left out, in a member called `abridged`. */
export type Abridged = {
  /** Of the JSON text of the whole. */
  readonly sha256: string;
  /** Of the same text, in UTF-8. */
  readonly bytes: number;
  /** By JSON Pointer, what of the members that were left out is not so in the other of `data` and `preData`. */
  readonly differences?: JsonObject;
  /** So many more places differ. */
  readonly moreDifferences?: number;
};

/** Each entry itself, unless it or its step is too large. */
export function abridgeAll(entries: readonly NewEntry[]): readonly NewEntry[] {
  const taken = new Map<string, number>();
  return entries.map((entry) => {
    const step = `${entry.uid} ${entry.fromVersion} ${entry.toVersion}`;
    const left = MOST_STEP_CHARACTERS - (taken.get(step) ?? 0);
    const most = Math.min(MOST_CONTENT_CHARACTERS, Math.max(LEAST_CONTENT_CHARACTERS, left));
    const kept = abridge(entry, most);
    taken.set(step, (taken.get(step) ?? 0) + lengthOf(kept));
    return kept;
  });
}

/** The entry itself, unless it is larger than this. */
export function abridge<E extends Content>(entry: E, mostCharacters = MOST_CONTENT_CHARACTERS): E {
  if (lengthOf(entry) <= mostCharacters) return entry;
  const { data, preData } = entry;
  const isKept = smallIn(data ?? {}, preData ?? {}, mostCharacters);
  const large = (content: JsonObject | null) => filtered(content ?? {}, (key) => !isKept(key));
  const most = mostCharacters * DIFFERENCES;
  const differences = data && preData ? differencesOf(large(preData), large(data), most) : undefined;
  return {
    ...entry,
    data: data && shortened(filtered(data, isKept), textOf(data), sideOf(differences, 'after')),
    preData: preData && shortened(filtered(preData, isKept), textOf(preData), sideOf(differences, 'before')),
  };
}

function lengthOf({ data, preData, tags }: Content): number {
  return textOf(data).length + textOf(preData).length + JSON.stringify(tags).length;
}

function textOf(content: JsonObject | null): string {
  return content === null ? '' : JSON.stringify(content);
}

/** A member that is large on one side is left out on both, or it would look like one that came or went. */
function smallIn(data: JsonObject, preData: JsonObject, mostCharacters: number): (key: string) => boolean {
  const kept = new Set<string>();
  let left = mostCharacters * MEMBERS;
  for (const key of new Set([...Object.keys(data), ...Object.keys(preData)])) {
    const length = Math.max(lengthIn(data, key), lengthIn(preData, key));
    if (key === ABRIDGED || length > mostCharacters * MEMBER || length > left) continue;
    left -= length;
    kept.add(key);
  }
  return (key) => kept.has(key);
}

const ABRIDGED = 'abridged';

function lengthIn(content: JsonObject, key: string): number {
  if (!Object.hasOwn(content, key)) return 0;
  return JSON.stringify(key).length + JSON.stringify(content[key]).length;
}

function filtered(content: JsonObject, isWanted: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([key]) => isWanted(key)));
}

function shortened(kept: JsonObject, text: string, differences: Partial<Abridged>): JsonObject {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const abridged: Abridged = { sha256, bytes: Buffer.byteLength(text), ...differences };
  return { ...kept, [ABRIDGED]: { ...abridged } };
}

function sideOf(found: Differences | undefined, side: 'before' | 'after'): Partial<Abridged> {
  if (found === undefined) return {};
  return { differences: found[side], ...(found.more > 0 && { moreDifferences: found.more }) };
}
