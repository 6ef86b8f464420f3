/** Reads the values with their comments from values.yaml. */
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

export interface ValueRow {
  readonly path: readonly string[];
  /** The comment above the value; may be empty. */
  readonly description: string;
  /** Undefined for a group of values. */
  readonly byDefault: unknown;
}

/** Returns one row for each value, in the order of the file, groups before their members. */
export function valueRows(text: string): readonly ValueRow[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error('values.yaml is not a map');
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

/** Whether the value is a map with any keys. */
function isFree(path: readonly string[]): boolean {
  return ['resources', 'dashboard.labels'].includes(path.join('.'));
}

function plain(value: unknown): unknown {
  return isScalar(value) ? value.value : (value as { toJSON(): unknown }).toJSON();
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? `${key.value}` : '';
}

/** The comment lines directly above a key. The YAML library attaches those of the first key to the map instead. */
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
