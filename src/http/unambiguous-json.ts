/** Parses JSON in which no object has a property twice: parsers differ on which one would count (RFC 8259 §4). */
import { unreadable } from './check-values.ts';

export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}.`);
  }
  refuseRepetition(text);
  return value;
}

interface Level {
  /** Of an object: its properties so far; absent: it is a list. */
  readonly names?: Set<string>;
  /** Where in it the scan is. */
  at: string | number;
}

/** Every string, followed by a colon if it names a property, and all that opens, closes and divides. */
const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\],]/g;

/** The text is valid JSON. */
function refuseRepetition(text: string): void {
  const levels: Level[] = [];
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
