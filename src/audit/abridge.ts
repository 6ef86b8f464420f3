/** Bounds what is kept of an entry: of content that is too large a digest stays, with what is small and what differs. */
import { createHash } from 'node:crypto';
import { type Differences, differencesOf } from './differences.ts';
import type { JsonObject, NewEntry } from './entry.ts';

/** Of `data`, `preData` and `tags` together, as JSON. As long an entry is whole in its Event, too. */
export const MOST_CONTENT_CHARACTERS = 32 * 1024;
/** Members of up to so many characters of JSON stay as they are, and all of them together up to as many. */
const MOST_MEMBER_CHARACTERS = 5_000;
const MOST_MEMBERS_CHARACTERS = 10_000;

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

/** The entry itself, unless it is too large. */
export function abridge<E extends Content>(entry: E): E {
  const { data, preData, tags } = entry;
  const [dataText, preDataText] = [textOf(data), textOf(preData)];
  const length = dataText.length + preDataText.length + JSON.stringify(tags).length;
  if (length <= MOST_CONTENT_CHARACTERS) return entry;
  const isKept = smallIn(data ?? {}, preData ?? {});
  const large = (content: JsonObject | null) => filtered(content ?? {}, (key) => !isKept(key));
  const differences = data && preData ? differencesOf(large(preData), large(data)) : undefined;
  return {
    ...entry,
    data: data && shortened(filtered(data, isKept), dataText, sideOf(differences, 'after')),
    preData: preData && shortened(filtered(preData, isKept), preDataText, sideOf(differences, 'before')),
  };
}

function textOf(content: JsonObject | null): string {
  return content === null ? '' : JSON.stringify(content);
}

/** A member that is large on one side is left out on both, or it would look like one that came or went. */
function smallIn(data: JsonObject, preData: JsonObject): (key: string) => boolean {
  const kept = new Set<string>();
  let left = MOST_MEMBERS_CHARACTERS;
  for (const key of new Set([...Object.keys(data), ...Object.keys(preData)])) {
    const length = Math.max(lengthIn(data, key), lengthIn(preData, key));
    if (key === ABRIDGED || length > MOST_MEMBER_CHARACTERS || length > left) continue;
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
