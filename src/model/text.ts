/** Texts: folding for comparison without case, accents and width; truncation. */

/** The common case: no accents and no composed letters. */
const ASCII = /^[\x20-\x7e]*$/;

/** Marks without a script of their own. Vowel signs of Hindi or Thai have one, and they distinguish names. */
export const ACCENTS = /[\p{M}&&\p{Script=Inherited}]/gv;

/** Letters that Unicode does not decompose but people type without stroke or ligature. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ Ł: 'L', Ø: 'O', Đ: 'D', Ð: 'D', Ħ: 'H', Ŧ: 'T' },
  ...{ Æ: 'AE', Œ: 'OE', Þ: 'TH' },
};
const STROKES = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/**
 * Returns the same text for texts that differ only in case, accents, width or composition: José and JOSE, straße and
 * STRASSE. A substring folds to a substring of the folded text, so that substring search works.
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toUpperCase();
  return inOneCase(text.normalize('NFKD'))
    .replace(ACCENTS, '')
    .replace(STROKES, (letter) => plainLetters[letter] ?? letter);
}

/**
 * Upper case, because lower case has two forms of sigma. Lower case is applied first, because only that maps ẞ to ß,
 * and so to SS.
 */
function inOneCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** The beginning of a long text and `…`; a text of at most `maxLength` stays whole. */
export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${cut(text, maxLength)}…` : text;
}

/**
 * At most `maxLength` characters of a text, never half of a surrogate pair: the API server would store another text
 * than was sent.
 */
export function cut(text: string, maxLength: number): string {
  const beginning = text.length > maxLength ? text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '') : text;
  return beginning.toWellFormed();
}

/** An equal text with memory of its own: V8 keeps a whole text in memory as long as a part that was taken from it. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** At most `maxBytes` of a text in UTF-8, never a part of a character: continuation bytes are 10xxxxxx. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const lead = bytes.subarray(0, maxBytes + 1).findLastIndex((byte) => byte >> 6 !== 0b10);
  return bytes.subarray(0, lead).toString();
}
