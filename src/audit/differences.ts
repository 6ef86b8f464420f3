/** Says where two JSON values differ, place by place, within bounds. */
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from './entry.ts';

/** By JSON Pointer (RFC 6901); a place that one side does not have is named on the other alone. */
export interface Differences {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Places that differ beyond those. */
  readonly more: number;
}

/** A value that is longer as JSON is cut. */
const MOST_VALUE_CHARACTERS = 1_000;
/** What is further down is compared as a whole. */
const MOST_LEVELS = 16;

type Side = Json | undefined;

interface Pair {
  readonly pointer: string;
  readonly before: Side;
  readonly after: Side;
}

/** Of as many as fit into so many characters of JSON on each side, with the pointers. */
export function differencesOf(before: JsonObject, after: JsonObject, mostCharacters: number): Differences {
  const sides = { before: createSide(mostCharacters), after: createSide(mostCharacters) };
  let more = 0;
  for (const { pointer, ...values } of placesThatDiffer({ pointer: '', before, after }, 0)) {
    const [was, is] = [sides.before.fitting(pointer, values.before), sides.after.fitting(pointer, values.after)];
    if (was && is) {
      was.put();
      is.put();
    } else more += 1;
  }
  return { before: sides.before.all(), after: sides.after.all(), more };
}

function* placesThatDiffer(pair: Pair, level: number): Generator<Pair> {
  const { pointer, before, after } = pair;
  if (isDeepStrictEqual(before, after)) return;
  const parts = level < MOST_LEVELS ? partsOf(before, after) : undefined;
  if (parts === undefined) {
    yield pair;
    return;
  }
  for (const part of parts) yield* placesThatDiffer({ ...part, pointer: `${pointer}/${part.pointer}` }, level + 1);
}

/** Undefined: they are compared as a whole. */
function partsOf(before: Side, after: Side): readonly Pair[] | undefined {
  if (isList(before) && isList(after)) return itemsOf(before, after);
  if (isObject(before) && isObject(after)) return membersOf(before, after);
  return undefined;
}

function membersOf(before: JsonObject, after: JsonObject): readonly Pair[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.map((key) => ({ pointer: escaped(key), before: ownIn(before, key), after: ownIn(after, key) }));
}

function ownIn(object: JsonObject, key: string): Side {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What both begin and end with is the same, so that one item more does not make all that follow differ. */
function itemsOf(before: readonly Json[], after: readonly Json[]): readonly Pair[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isDeepStrictEqual(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isDeepStrictEqual(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const [was, is] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const length = Math.max(was.length, is.length);
  return Array.from({ length }, (_, index) => ({
    pointer: String(start + index),
    before: was[index],
    after: is[index],
  }));
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isList(value: Side): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Side): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createSide(mostCharacters: number) {
  const entries: (readonly [string, Json])[] = [];
  let left = mostCharacters;
  return {
    /** Undefined: there is no room for it. */
    fitting(pointer: string, value: Side): { put(): void } | undefined {
      if (value === undefined) return { put: () => undefined };
      const entry = [pointer, shown(value)] as const;
      const length = JSON.stringify(entry).length;
      if (length > left) return undefined;
      return {
        put() {
          left -= length;
          entries.push(entry);
        },
      };
    },
    all: (): JsonObject => Object.fromEntries(entries),
  };
}

/** Of a long value its beginning as text. */
function shown(value: Json): Json {
  const json = JSON.stringify(value);
  if (json.length <= MOST_VALUE_CHARACTERS) return value;
  const text = typeof value === 'string' ? value : json;
  return `${text.slice(0, MOST_VALUE_CHARACTERS)}… (${text.length} characters)`.toWellFormed();
}
