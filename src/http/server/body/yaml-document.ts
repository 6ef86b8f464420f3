/** Parses unambiguous YAML: one document, no duplicate keys, no unknown tags, few aliases. */
import { CORE_SCHEMA, constructFromEvents, EVENT_ID, type Event, parseEvents } from 'js-yaml';
import { Refusal } from '../../../errors.ts';
import { unreadable, visitValues } from '../../../wire/check-values.ts';
import { tooManyValues } from './count-values.ts';

/** Libraries write aliases for repeated values. */
const MAX_ALIASES = 1000;
/** The maximum number of values that all aliases together may expand to. */
const MAX_REPEATED = 100_000;
const DEEPEST = 64;

/**
 * Does not use the parser that writes YAML: its time grows with the square of keys, anchors and aliases. Events contain
 * the place of a value in the text, so values are counted before any of them is built.
 */
export function parseYaml(text: string, most: number): unknown {
  try {
    const events = parseEvents(text, { maxDepth: DEEPEST });
    refuseSeveralDocuments(events);
    const count = countValues(events);
    if (count > most) throw tooManyValues(most);
    const [value] = constructFromEvents(events, { source: text, schema: CORE_SCHEMA, maxAliases: MAX_ALIASES });
    refuseExplosion(value, count + MAX_REPEATED);
    return value;
  } catch (error) {
    if (error instanceof Refusal) throw error;
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

/** Counts values without keys, which are every second event in a mapping. */
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

/** A value with aliases is in memory once, but is visited once per alias. */
function refuseExplosion(value: unknown, most: number): void {
  let count = 0;
  visitValues(value, () => {
    count += 1;
    if (count <= most) return;
    throw unreadable(`The aliases of the YAML expand to more than ${MAX_REPEATED} values. Write fewer.`);
  });
}
