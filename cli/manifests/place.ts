/** The place of a field in a text. */
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type ParsedNode } from 'yaml';

export interface Place {
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  /** The first column is 1. */
  readonly column: number;
}

/** As editors and terminals link it. */
export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

export function placeAt(file: string, lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

/**
 * Returns the offset of the field that these keys lead to, or of the nearest field around it; for a field with a key,
 * that of the key.
 */
export function offsetOf(root: ParsedNode, path: readonly string[]): number {
  let node: Node | null = root;
  let offset = root.range[0];
  for (const key of path) {
    const found: FoundNode | undefined = below(node, key);
    if (!found) return offset;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset;
}

interface FoundNode {
  readonly node: Node | null;
  readonly offset: number | undefined;
}

function below(node: Node | null, key: string): FoundNode | undefined {
  // An error in the value of an alias is reported at the field that has the alias.
  if (isAlias(node)) return undefined;
  if (isSeq<Node>(node)) {
    const item = node.items[Number(key)];
    return item && { node: item, offset: item.range?.[0] };
  }
  const pair = isMap<Node, Node | null>(node) ? node.items.find((item) => keyOf(item) === key) : undefined;
  return pair && { node: pair.value, offset: pair.key.range?.[0] };
}

function keyOf({ key }: Pair<Node, Node | null>): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}
