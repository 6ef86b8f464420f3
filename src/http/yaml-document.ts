/** Parses YAML that says one thing only: no second document, no key twice, no unknown tag, few aliases. */
import { isScalar, type Pair, parseDocument, visit, type YAMLMap } from 'yaml';
import { AppError } from '../errors.ts';
import { unreadable } from './body.ts';

/** How often one anchor may be meant, aliases of aliases counted for each; libraries write such for what occurs twice. */
const MOST_ALIASES = 100;
/** How many values all aliases together may stand for. */
const MOST_REPEATED = 100_000;

export function parseYaml(text: string): unknown {
  try {
    // The parser would compare each key with every other one.
    const document = parseDocument(text, { uniqueKeys: false, merge: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw problem;
    visit(document, { Map: (_, map) => refuseRepetition(map) });
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    refuseExplosion(value);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // All of this is recursive, and its limit is that of the stack.
    const why = error instanceof RangeError ? 'it is nested too deep' : (error as Error).message;
    throw unreadable(`The body is not valid YAML: ${why.split('\n')[0]?.slice(0, 200)}.`);
  }
}

function refuseRepetition({ items }: YAMLMap): void {
  const names = new Set<string>();
  for (const { key } of items as readonly Pair[]) {
    const name = isScalar(key) ? String(key.value) : '';
    if (isScalar(key) && names.has(name)) {
      throw unreadable(
        `The body has the property \`${name.slice(0, 100)}\` twice in one object. Remove one of the two.`,
      );
    }
    names.add(name);
  }
}

/** What an alias stands for is there once in memory, and many times for everyone who walks through it. */
function refuseExplosion(value: unknown): void {
  const count: Count = { distinct: 0, sizes: new Map() };
  if (sizeOf(value, count) - count.distinct <= MOST_REPEATED) return;
  throw unreadable(`The aliases of the YAML stand for more than ${MOST_REPEATED} values. Write fewer.`);
}

interface Count {
  distinct: number;
  readonly sizes: Map<object, number>;
}

/** How many values there are with all aliases filled in. */
function sizeOf(value: unknown, count: Count): number {
  const known = typeof value === 'object' && value !== null ? count.sizes.get(value) : undefined;
  if (known !== undefined) return known;
  count.distinct += 1;
  if (typeof value !== 'object' || value === null) return 1;
  // Until it is known what is in it: a thing that holds itself has no end.
  count.sizes.set(value, Number.POSITIVE_INFINITY);
  const size = Object.values(value).reduce<number>((sum, member) => sum + sizeOf(member, count), 1);
  count.sizes.set(value, size);
  return size;
}
