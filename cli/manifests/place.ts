/** Where a field stands in a text. */
import { isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type ParsedNode } from 'yaml';

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

export function placeAt(file: string, lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

/**
 * The offset of the field that these keys lead to, or else of the nearest field around it: of its key, where it has
 * one.
 */
export function offsetOf(root: ParsedNode, path: readonly string[]): number {
  let node: Node | null = root;
  let offset = root.range[0];
  for (const key of path) {
    const found: Found | undefined = below(node, key);
    if (!found) return offset;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset;
}

interface Found {
  readonly node: Node | null;
  readonly offset: number | undefined;
}

function below(node: Node | null, key: string): Found | undefined {
  // The place where an alias stands says less than the one of its field.
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
