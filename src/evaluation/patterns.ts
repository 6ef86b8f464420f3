/** Patterns of RE2, compiled once for each text within a bound of memory. */
import { RE2JS } from 're2js';

/** The bound of all compiled patterns together, in instructions of some 100 bytes. A usual pattern has a few dozen. */
const MAX_INSTRUCTIONS = 200_000;
/** The memory of an entry without its program, as a number of instructions. */
const ENTRY_INSTRUCTIONS = 10;

const compiled = new Map<string, RE2JS | undefined>();
let instructions = 0;

interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** A pattern with a larger size is not compiled. */
  readonly maxSize?: number;
}

/** Undefined if RE2 rejects the pattern, or if it is too large. */
export function compiledPattern(pattern: string, options: PatternOptions = {}): RE2JS | undefined {
  const { ignoreCase = false, maxSize = Number.POSITIVE_INFINITY } = options;
  const key = `${ignoreCase ? 'i' : ' '}${maxSize} ${pattern}`;
  if (!compiled.has(key)) {
    const fits = maxSize === Number.POSITIVE_INFINITY || patternSize(pattern, ignoreCase) <= maxSize;
    keep(key, fits ? tryCompile(pattern, ignoreCase) : undefined);
  }
  return compiled.get(key);
}

function keep(key: string, fresh: RE2JS | undefined): void {
  const size = ENTRY_INSTRUCTIONS + (fresh?.programSize() ?? 0);
  if (instructions + size > MAX_INSTRUCTIONS) {
    compiled.clear();
    instructions = 0;
  }
  compiled.set(key, fresh);
  instructions += size;
}

function tryCompile(pattern: string, ignoreCase: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}

/** One character, escape, class, bracket or repetition of a pattern. What has no end takes the rest. */
const TOKEN =
  /\(\?[a-zA-Z-]+\)|\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*(?:\}|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|$)|\{\d+(?:,\d*)?\}|./gsu;
const REPETITION = /^\{(\d+)(,?)(\d*)\}$/;
/** A pattern with this length is too large in any case, and is not read. */
const MAX_LENGTH = 2_000;
/** Flags that ignore the case, from here on or in a group. */
const IGNORES_CASE = /\(\?[a-zA-Z]*i/;
/** Members of a class that stand for many characters, which are listed when the pattern is compiled. */
const WIDE = /\\[pPxdDwWsS]|\[:|[^\0-\x7f]/gu;
/** What it takes to list the characters of such a member, and to fold each, compared with matching a character. */
const WIDE_SIZE = 10;
const FOLDED_SIZE = 100;
/** What changes flags or quotes nothing leaves no part: a repetition after it repeats the part before. */
const NO_PART = /^(?:\(\?.+\)|\\Q(?:\\E)?)$/s;
const QUOTED = /^\\Q(.*?)(?:\\E)?$/s;

/**
 * The size of a pattern, without compiling it: its characters, where a repeated part counts as often as it may occur.
 * Compiling takes a time and memory, and matching a time for each character of a text, that are linear in it.
 */
export function patternSize(pattern: string, ignoreCase = false): number {
  if (pattern.length > MAX_LENGTH) return pattern.length;
  const sizes: Sizes = { outer: [], size: 0, last: 0 };
  const sizeOfWide = ignoreCase || IGNORES_CASE.test(pattern) ? FOLDED_SIZE : WIDE_SIZE;
  let wide = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (!NO_PART.test(token)) take(sizes, token);
    if (/^(?:\[.|\\[pP])/s.test(token)) wide += (token.match(WIDE) ?? []).length;
  }
  return wide * sizeOfWide + sizes.outer.reduce((sum, open) => sum + open, sizes.size);
}

interface Sizes {
  /** The sizes of the open groups. */
  readonly outer: number[];
  size: number;
  /** The size of the part that a repetition repeats. */
  last: number;
}

function take(sizes: Sizes, token: string): void {
  switch (token) {
    case '(':
      sizes.outer.push(sizes.size);
      sizes.size = 0;
      break;
    case ')':
      sizes.last = sizes.size + 2;
      sizes.size = (sizes.outer.pop() ?? 0) + sizes.last;
      break;
    case '*':
    case '+':
    case '?':
      sizes.size += 1;
      sizes.last += 1;
      break;
    default:
      takePart(sizes, token);
  }
}

function takePart(sizes: Sizes, token: string): void {
  const repetition = REPETITION.exec(token);
  const part = repetition ? repeatedSize(sizes.last, repetition) : (QUOTED.exec(token)?.[1]?.length ?? 1);
  sizes.size += repetition ? part - sizes.last : part;
  sizes.last = part;
}

/** An occurrence that may be absent takes one more instruction. */
function repeatedSize(part: number, [, least = '', comma, most = '']: RegExpExecArray): number {
  const min = Number(least);
  if (comma === '') return part * min;
  return most === '' ? part * (min + 1) + 1 : part * min + (part + 1) * Math.max(0, Number(most) - min);
}
