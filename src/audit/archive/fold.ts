/** Texts as they are compared in a search: whatever their case, and however their letters are composed. */
import type { NewEntry } from '../entry.ts';
import { maskJsonText } from '../masked-addresses.ts';

/** JSON text has no control characters but as escapes: what holds one is in no text, and nothing is found across one. */
const SEPARATOR = '\u0001';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that JSON text cannot have
const notInJson = /[\u0000-\u001f]/;

/** Lower-case by Unicode, of no language: İ becomes i with a dot above, ß stays, and a final sigma is a sigma. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

type Searched = Pick<NewEntry, 'data' | 'preData' | 'tags'>;

/** What of an entry is searched. Nothing is found across two of the three. */
export function searchTextOf(entry: Searched): string {
  return jsonOf(entry).map(fold).join(SEPARATOR);
}

/** The same for readers who see addresses masked; undefined: there is none in it. */
export function maskedTextOf(entry: Searched): string | undefined {
  const texts = jsonOf(entry);
  const masked = texts.map(maskJsonText);
  return masked.every((text, index) => text === texts[index]) ? undefined : masked.map(fold).join(SEPARATOR);
}

function jsonOf({ data, preData, tags }: Searched): string[] {
  return [data, preData, tags].map((part) => (part === null ? '' : JSON.stringify(part)));
}

/**
 * What a caller typed, folded; undefined: no JSON text can contain it. It is compared with the JSON text, not with the
 * values in it: a quote or a backslash of a value is found as `\"` or `\\`, a line break as `\n`, and a query may hold
 * a quote to find where a value begins (`"name":"check`).
 */
export function foldQuery(text: string): string | undefined {
  const folded = fold(text);
  return notInJson.test(folded) || !folded.isWellFormed() ? undefined : folded;
}
