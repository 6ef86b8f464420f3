/** Parses YAML that says one thing only: one document, no key twice, no unknown tag, few aliases. */
import { CORE_SCHEMA, constructFromEvents, EVENT_ID, type Event, parseEvents } from 'js-yaml';
import { AppError } from '../errors.ts';
import { unreadable, visitValues } from './check-values.ts';
import { tooManyValues } from './count-values.ts';

/** Libraries write them for what occurs twice. */
const MOST_ALIASES = 1000;
/** How many values all aliases together may stand for. */
const MOST_REPEATED = 100_000;
const DEEPEST = 64;

/**
 * Not with the parser that writes: that one takes a time that grows with the square of keys, anchors and aliases. Events say
 * where in the text a value is, so values are counted before any of them is built.
 */
export function parseYaml(text: string, most: number): unknown {
  try {
    const events = parseEvents(text, { maxDepth: DEEPEST });
    refuseSeveralDocuments(events);
    const count = countValues(events);
    if (count > most) throw tooManyValues(most);
    const [value] = constructFromEvents(events, { source: text, schema: CORE_SCHEMA, maxAliases: MOST_ALIASES });
    refuseExplosion(value, count + MOST_REPEATED);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const [why = ''] = (error as Error).message.split('\n');
    throw unreadable(`The body is not valid YAML: ${why.slice(0, 200)}.`);
  }
}

function refuseSeveralDocuments(events: readonly Event[]): void {
  const documents = events.filter(({ type }) => type === DOCUMENT).length;
  if (documents === 0) throw new Error('the input is empty');
  if (documents > 1) throw new Error(`there is more than one document: there are ${documents}`);
}

const { DOCUMENT, SEQUENCE, MAPPING, POP } = EVENT_ID;
const OPENING: ReadonlySet<Event['type']> = new Set([DOCUMENT, SEQUENCE, MAPPING]);

/** Without the keys, which are every second thing in a mapping. */
function countValues(events: readonly Event[]): number {
  const parents: Event['type'][] = [];
  let count = 0;
  for (const { type } of events) {
    if (type === POP) {
      parents.pop();
      continue;
    }
    if (type !== DOCUMENT) count += parents.at(-1) === MAPPING ? 0.5 : 1;
    if (OPENING.has(type)) parents.push(type);
  }
  return count;
}

/** What an alias stands for is there once in memory, and many times for everyone who walks through it. */
function refuseExplosion(value: unknown, most: number): void {
  let count = 0;
  visitValues(value, () => {
    count += 1;
    if (count <= most) return;
    throw unreadable(`The aliases of the YAML stand for more than ${MOST_REPEATED} values. Write fewer.`);
  });
}
