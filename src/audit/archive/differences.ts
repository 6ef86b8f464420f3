/** Lists the differences of two JSON values, up to a limit. */
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../model/json.ts';
import { cut } from '../../model/text.ts';

/** Values by JSON Pointer (RFC 6901); a place that exists on one side only is listed on that side only. */
export interface Differences {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Number of further places that differ. */
  readonly more: number;
}

/** Longer values (as JSON) are cut. */
const MAX_VALUE_CHARACTERS = 1_000;
/** Deeper values are compared as a whole. */
const MAX_LEVELS = 16;

type Side = Json | undefined;

interface Pair {
  readonly pointer: string;
  readonly before: Side;
  readonly after: Side;
}

/** Lists as many differences as fit into `maxCharacters` of JSON on each side, pointers included. */
export function differencesOf(before: JsonObject, after: JsonObject, maxCharacters: number): Differences {
  const sides = { before: createSide(maxCharacters), after: createSide(maxCharacters) };
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
  const parts = level < MAX_LEVELS ? partsOf(before, after) : undefined;
  if (parts === undefined) {
    yield pair;
    return;
  }
  for (const part of parts) yield* placesThatDiffer({ ...part, pointer: `${pointer}/${part.pointer}` }, level + 1);
}

/** Undefined: the values are compared as a whole. */
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

/** Skips the common start and end, so that an inserted item does not make all later items differ. */
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

function createSide(maxCharacters: number) {
  const entries: (readonly [string, Json])[] = [];
  let left = maxCharacters;
  return {
    /** Undefined: the value does not fit. */
    fitting(pointer: string, value: Side): { put(): void } | undefined {
      if (value === undefined) return { put: () => undefined };
      const entry = [pointer, shorten(value)] as const;
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

/** Replaces a long value by the beginning of its text. */
function shorten(value: Json): Json {
  const json = JSON.stringify(value);
  if (json.length <= MAX_VALUE_CHARACTERS) return value;
  const text = typeof value === 'string' ? value : json;
  return `${cut(text, MAX_VALUE_CHARACTERS)}… (${text.length} characters)`;
}
