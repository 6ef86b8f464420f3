/** Writes large values as YAML in pieces, so that other work may be done between two of them. */
import { writeYaml, type YamlStyle } from './yaml.ts';

/** The weight of what is written at once. A value has the weight 1, and 1 for each 64 characters of its text. */
const MAX_WEIGHT = 400;
const CHARACTERS_PER_WEIGHT = 64;
/** Names of members that are written without quotes in a line with their value. */
const PLAIN_NAME = /^[A-Za-z][\w.-]{0,200}$/;

/** Joined, the pieces are what `writeYaml` makes. */
export function* yamlPieces(value: unknown, style: YamlStyle = {}): Generator<string, void> {
  if (!isSplit(value, style)) yield writeYaml(value, style);
  else if (Array.isArray(value)) yield* listPieces(value, style);
  else yield* mapPieces(value, style);
}

function isSplit(value: unknown, { maxBlockDepth = Number.POSITIVE_INFINITY }: YamlStyle): value is object {
  // The deepest lists and maps are written in one line.
  return maxBlockDepth > 1 && isCollection(value) && weightUpTo(value, MAX_WEIGHT) > MAX_WEIGHT;
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function* listPieces(items: readonly unknown[], style: YamlStyle): Generator<string, void> {
  const inner = below(style);
  for (const part of partsOf(items, (item) => isSplit(item, inner))) {
    if ('alone' in part) yield* indented(yamlPieces(part.alone, inner), '- ');
    else yield writeYaml(part.together, style);
  }
}

function* mapPieces(map: object, style: YamlStyle): Generator<string, void> {
  const inner = below(style);
  const isAlone = ([name, member]: [string, unknown]) => isSplit(member, inner) && isPlain(name, style);
  for (const part of partsOf(Object.entries(map), isAlone)) {
    if ('together' in part) yield writeYaml(Object.fromEntries(part.together), style);
    else {
      const [name, member] = part.alone;
      yield writeYaml({ [name]: {} }, style).replace(/ \{\}\n$/, '\n');
      yield* indented(yamlPieces(member, inner), '  ');
    }
  }
}

function isPlain(name: string, style: YamlStyle): boolean {
  return PLAIN_NAME.test(name) && writeYaml({ [name]: {} }, style).endsWith(': {}\n');
}

function below(style: YamlStyle): YamlStyle {
  return style.maxBlockDepth === undefined ? style : { ...style, maxBlockDepth: style.maxBlockDepth - 1 };
}

type Part<T> = { readonly alone: T } | { readonly together: readonly T[] };

/** Items that are large by themselves, and groups of others. */
function partsOf<T>(items: readonly T[], isAlone: (item: T) => boolean): readonly Part<T>[] {
  const parts: Part<T>[] = [];
  let group: T[] = [];
  let weight = MAX_WEIGHT;
  for (const item of items) {
    if (isAlone(item)) {
      parts.push({ alone: item });
      weight = MAX_WEIGHT;
      continue;
    }
    const added = weightUpTo(item, MAX_WEIGHT);
    weight += added;
    if (weight > MAX_WEIGHT) {
      group = [];
      weight = added;
      parts.push({ together: group });
    }
    group.push(item);
  }
  return parts;
}

/** The first line begins with this, and the others with as many spaces. Empty lines stay empty, as in `writeYaml`. */
function* indented(pieces: Iterable<string>, first: string): Generator<string, void> {
  const indent = ' '.repeat(first.length);
  let before = first;
  for (const piece of pieces) {
    yield before + piece.replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
    before = indent;
  }
}

/** The weight of a value, or a larger number than `limit`. */
function weightUpTo(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_WEIGHT;
  if (!isCollection(value)) return 1;
  let weight = 1;
  for (const [name, member] of Object.entries(value)) {
    weight += name.length / CHARACTERS_PER_WEIGHT + weightUpTo(member, limit - weight);
    if (weight > limit) break;
  }
  return weight;
}
