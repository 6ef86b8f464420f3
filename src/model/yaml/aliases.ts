/** What the aliases of a document stand for. */
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  type Pair,
  type ParsedNode,
} from 'yaml';
import type { YamlFault } from './tokens.ts';

/** The library looks through all aliases for each. */
const MAX_ALIASES = 10_000;
/** Each alias takes as much memory as the value that it stands for. */
const MAX_VALUES = 100_000;
/** kubectl refuses aliases that make up 99 per cent of more than 1,000 values. */
const FEW_VALUES = 1_000;
const MAX_SHARE = 0.98;

interface AliasCount {
  /** The value of each anchor, as far as it is complete. */
  readonly anchors: Map<string, { readonly size: number; readonly isMap: boolean }>;
  readonly begun: Set<string>;
  aliases: number;
  values: number;
  ofAliases: number;
  fault: YamlFault | undefined;
}

/** Also the first alias that makes the values of all aliases too many. */
export function aliasFault({ contents }: Document.Parsed<ParsedNode>): YamlFault | undefined {
  const reading: AliasCount = {
    anchors: new Map(),
    begun: new Set(),
    aliases: 0,
    values: 0,
    ofAliases: 0,
    fault: undefined,
  };
  sizeOf(contents, reading);
  return reading.fault;
}

/** The number of values. Recursive, because the depth of a document is limited. */
function sizeOf(node: unknown, reading: AliasCount): number {
  if (reading.fault) return 0;
  if (isPair(node)) return sizeOfPair(node, reading);
  reading.values += 1;
  if (isAlias(node)) return 1 + sizeOfAlias(node, reading);
  const anchor = isNode(node) && 'anchor' in node ? node.anchor : undefined;
  if (anchor !== undefined) {
    reading.anchors.delete(anchor);
    reading.begun.add(anchor);
  }
  const items = isCollection(node) ? node.items : [];
  const size = items.reduce<number>((sum, item) => sum + sizeOf(item, reading), 1);
  if (anchor !== undefined) reading.anchors.set(anchor, { size, isMap: isMap(node) });
  return size;
}

function sizeOfPair({ key, value }: Pair, reading: AliasCount): number {
  const size = sizeOf(key, reading) + sizeOf(value, reading);
  if (!isMergeKey(key)) return size;
  for (const one of isCollection(value) && !isMap(value) ? value.items : [value]) {
    const isMerged = isMap(one) || (isAlias(one) && reading.anchors.get(one.source)?.isMap);
    if (!isMerged) note(reading, one, '<< takes a map, or a list of maps');
  }
  return size;
}

export function isMergeKey(key: unknown): boolean {
  return isNode(key) && 'source' in key && key.source === '<<' && 'type' in key && key.type === 'PLAIN';
}

function sizeOfAlias(alias: Alias, reading: AliasCount): number {
  const { source: name } = alias;
  const size = reading.anchors.get(name)?.size;
  if (size === undefined)
    note(
      reading,
      alias,
      reading.begun.has(name) ? `the value of &${name} contains itself` : `there is no &${name} above`,
    );
  reading.aliases += 1;
  reading.values += size ?? 0;
  reading.ofAliases += size ?? 0;
  const { aliases, values, ofAliases } = reading;
  const areFew = values <= FEW_VALUES || ofAliases / values <= MAX_SHARE;
  if (aliases > MAX_ALIASES || ofAliases > MAX_VALUES || !areFew)
    note(reading, alias, `up to *${name}, aliases stand for too many values: write some of them out`);
  return size ?? 0;
}

function note(reading: AliasCount, node: unknown, message: string): void {
  reading.fault ??= { message, offset: isNode(node) ? (node.range?.[0] ?? 0) : 0 };
}
