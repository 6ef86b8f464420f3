/** Folds texts for search: ignores case and composition of letters. */
import type { NewEntry } from '../../domain/history/entry.ts';
import { maskJsonText } from '../../domain/history/masked-addresses.ts';
import { normalized } from '../../model/text.ts';
import { jsonTextOf } from './json-text.ts';

/** JSON text contains control characters only as escapes, so no query matches across this separator. */
const SEPARATOR = '\u0001';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that JSON text cannot contain
const notInJson = /[\u0000-\u001f]/;

/**
 * Lower case by Unicode, without a locale: İ becomes i with a dot above, ß stays, and a final sigma becomes a sigma.
 */
export function fold(text: string): string {
  return normalized(normalized(text, 'NFC').toLowerCase().replaceAll('ς', 'σ'), 'NFC');
}

type Searched = Pick<NewEntry, 'data' | 'preData' | 'tags'>;

/** The searched text of an entry. No query matches across two of the three parts. */
export function searchTextOf(entry: Searched): string {
  return jsonOf(entry).map(fold).join(SEPARATOR);
}

/** The searched text with masked e-mail addresses; undefined: it contains no address. */
export function maskedTextOf(entry: Searched): string | undefined {
  const texts = jsonOf(entry);
  const masked = texts.map(maskJsonText);
  return masked.every((text, index) => text === texts[index]) ? undefined : masked.map(fold).join(SEPARATOR);
}

function jsonOf({ data, preData, tags }: Searched): string[] {
  return [data, preData, tags].map((part) => (part === null ? '' : jsonTextOf(part)));
}

/**
 * Folds a query; undefined: no JSON text can contain it. The query is compared with the JSON text, not with the values
 * in it: a quote or a backslash of a value is found as `\"` or `\\`, a line break as `\n`, and a query may contain a
 * quote to match the start of a value (`"name":"check`).
 */
export function foldQuery(text: string): string | undefined {
  const folded = fold(text);
  return notInJson.test(folded) || !folded.isWellFormed() ? undefined : folded;
}
