/** Parses JSON and refuses duplicate properties, because parsers differ on which one counts (RFC 8259 §4). */
import { unreadable } from '../../../wire/check-values.ts';

export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}.`);
  }
  refuseRepetition(text, []);
  return value;
}

export interface PlaceOfRows {
  /** The name of the list that contains the rows. */
  readonly section: string;
  /** The index of the first row. */
  readonly start: number;
}

/** Parses rows that are separated by commas; undefined if the text is not valid JSON. */
export function parseRows(text: string, { section, start }: PlaceOfRows): readonly unknown[] | undefined {
  let rows: unknown[];
  try {
    rows = JSON.parse(`[${text}]`);
  } catch {
    return undefined;
  }
  refuseRepetition(text, [{ at: section }, { at: start }]);
  return rows;
}

interface Level {
  /** The properties of an object so far; absent for a list. */
  readonly names?: Set<string>;
  /** The property or index at which the scan is. */
  at: string | number;
}

/** Strings, with a colon if they name a property, and brackets and commas. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\],]/g;

/** Expects valid JSON; `levels` are those around it. */
function refuseRepetition(text: string, levels: Level[]): void {
  for (const [token, content = '', colon] of text.matchAll(TOKEN)) {
    if (colon === undefined) move(levels, token);
    else enter(levels, content.includes('\\') ? JSON.parse(`"${content}"`) : content);
  }
}

function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  switch (token) {
    case '{':
      levels.push({ names: new Set(), at: '' });
      break;
    case '[':
      levels.push({ at: 0 });
      break;
    case '}':
    case ']':
      levels.pop();
      break;
    case ',':
      if (typeof level?.at === 'number') level.at += 1;
  }
}

function enter(levels: readonly Level[], name: string): void {
  const level = levels.at(-1);
  if (!level?.names) return;
  level.at = name;
  if (level.names.has(name)) {
    const place = levels.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${at}`)).join('');
    throw unreadable(`The body has the property \`${place.slice(1, 200)}\` twice. Remove one of the two.`);
  }
  level.names.add(name);
}
