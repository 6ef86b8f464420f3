/** Reads what values.yaml says of each value. */
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

export interface ValueRow {
  readonly path: readonly string[];
  /** The comment above it; empty where its name says it. */
  readonly description: string;
  /** undefined: a group of others. */
  readonly byDefault: unknown;
}

/** One row for each value, groups before what is in them, in the order of the file. */
export function valueRows(text: string): readonly ValueRow[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error('values.yaml is no map');
  return rowsOf(document.contents, [], text);
}

function rowsOf(map: YAMLMap, above: readonly string[], text: string): ValueRow[] {
  return map.items.flatMap((pair) => {
    const path = [...above, keyOf(pair)];
    const { value } = pair;
    const description = commentAbove(pair, text);
    if (isMap(value) && value.items.length > 0 && !isFree(path)) {
      return [{ path, description, byDefault: undefined }, ...rowsOf(value, path, text)];
    }
    return [
      {
        path,
        description,
        byDefault: isMap(value) || value === null ? (value as YAMLMap | null)?.toJSON() : plain(value),
      },
    ];
  });
}

/** Maps whose keys are not ours. */
function isFree(path: readonly string[]): boolean {
  return ['resources', 'dashboard.labels'].includes(path.join('.'));
}

function plain(value: unknown): unknown {
  return isScalar(value) ? value.value : (value as { toJSON(): unknown }).toJSON();
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? `${key.value}` : '';
}

/** The lines of comment right above a key; the library hands those of a first key to what is around it. */
function commentAbove({ key }: Pair, text: string): string {
  const start = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
  const lines = text
    .slice(0, start)
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trim());
  const first = lines.findLastIndex((line) => !line.startsWith('#')) + 1;
  return lines
    .slice(first)
    .map((line) => line.replace(/^# ?/, ''))
    .join(' ');
}
