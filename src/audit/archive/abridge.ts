/** Limits the size of an entry: large content is replaced by its digest, its small members and the differences. */
import { hash } from 'node:crypto';
import type { NewEntry } from '../../domain/history/entry.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Differences, differencesOf } from './differences.ts';
import { jsonTextOf } from './json-text.ts';

/** Limit for the JSON of `data`, `preData` and `tags` together. An entry within it also fits into its Event. */
export const MAX_CONTENT_CHARACTERS = 32 * 1024;
/** Limit for all entries of one step together; each entry beyond it gets the minimum. */
export const MAX_STEP_CHARACTERS = 256 * 1024;
const MIN_CONTENT_CHARACTERS = 2 * 1024;
/** Shares of the limit, for each side: one unchanged member, all unchanged members, the differences. */
const [MEMBER, MEMBERS, DIFFERENCES] = [0.15, 0.3, 0.15];

type Content = Pick<NewEntry, 'data' | 'preData' | 'tags'>;

/** The member `abridged`, which replaces the members that were left out. */
export type Abridged = {
  /** Digest of the whole JSON text. */
  readonly sha256: string;
  /** Length of the same text in UTF-8. */
  readonly bytes: number;
  /** Differences between `data` and `preData` in the members that were left out, by JSON Pointer. */
  readonly differences?: JsonObject;
  /** Number of further places that differ. */
  readonly moreDifferences?: number;
};

/** Abridges each entry that is too large itself or belongs to a step that is too large. */
export function abridgeAll(entries: readonly NewEntry[]): readonly NewEntry[] {
  const taken = new Map<string, number>();
  return entries.map((entry) => {
    const step = `${entry.uid} ${entry.fromVersion} ${entry.toVersion}`;
    const left = MAX_STEP_CHARACTERS - (taken.get(step) ?? 0);
    const limit = Math.min(MAX_CONTENT_CHARACTERS, Math.max(MIN_CONTENT_CHARACTERS, left));
    const kept = abridge(entry, limit);
    taken.set(step, (taken.get(step) ?? 0) + lengthOf(kept));
    return kept;
  });
}

/** Returns the entry itself unless it is larger than the limit. */
export function abridge<E extends Content>(entry: E, maxCharacters = MAX_CONTENT_CHARACTERS): E {
  if (lengthOf(entry) <= maxCharacters) return entry;
  const { data, preData } = entry;
  const isKept = smallIn(data ?? {}, preData ?? {}, maxCharacters);
  const large = (content: JsonObject | null) => filtered(content ?? {}, (key) => !isKept(key));
  const limit = maxCharacters * DIFFERENCES;
  const differences = data && preData ? differencesOf(large(preData), large(data), limit) : undefined;
  return {
    ...entry,
    data: data && shortened(filtered(data, isKept), textOf(data), sideOf(differences, 'after')),
    preData: preData && shortened(filtered(preData, isKept), textOf(preData), sideOf(differences, 'before')),
  };
}

function lengthOf({ data, preData, tags }: Content): number {
  return textOf(data).length + textOf(preData).length + jsonTextOf(tags).length;
}

function textOf(content: JsonObject | null): string {
  return content === null ? '' : jsonTextOf(content);
}

/** A member that is large on one side is left out on both; otherwise it would look added or removed. */
function smallIn(data: JsonObject, preData: JsonObject, maxCharacters: number): (key: string) => boolean {
  const kept = new Set<string>();
  let left = maxCharacters * MEMBERS;
  for (const key of new Set([...Object.keys(data), ...Object.keys(preData)])) {
    const length = Math.max(lengthIn(data, key), lengthIn(preData, key));
    if (key === ABRIDGED || length > maxCharacters * MEMBER || length > left) continue;
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
  const sha256 = hash('sha256', text);
  const abridged: Abridged = { sha256, bytes: Buffer.byteLength(text), ...differences };
  return { ...kept, [ABRIDGED]: { ...abridged } };
}

function sideOf(found: Differences | undefined, side: 'before' | 'after'): Partial<Abridged> {
  if (found === undefined) return {};
  return { differences: found[side], ...(found.more > 0 && { moreDifferences: found.more }) };
}
