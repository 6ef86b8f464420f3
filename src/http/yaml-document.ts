/** Parses YAML that says one thing only: one document, no key twice, no unknown tag, few aliases. */
import { CORE_SCHEMA, load } from 'js-yaml';
import { AppError } from '../errors.ts';
import { unreadable } from './body.ts';

/** Libraries write them for what occurs twice. */
const MOST_ALIASES = 1000;
/** How many values all aliases together may stand for. */
const MOST_REPEATED = 100_000;
const DEEPEST = 64;

/** Not with the parser that writes: that one takes a time that grows with the square of keys, anchors and aliases. */
export function parseYaml(text: string): unknown {
  try {
    const value: unknown = load(text, { schema: CORE_SCHEMA, maxAliases: MOST_ALIASES, maxDepth: DEEPEST });
    refuseExplosion(value);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const [why = ''] = (error as Error).message.split('\n');
    throw unreadable(`The body is not valid YAML: ${why.slice(0, 200)}.`);
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
