/** Texts: folding for comparison without case, accents and width; truncation. */

/** The common case: no accents and no composed letters. */
const ASCII = /^[\x20-\x7e]*$/;

/** Marks without a script of their own. Vowel signs of Hindi or Thai have one, and they distinguish names. */
export const ACCENTS = /[\p{M}&&\p{Script=Inherited}]/gv;

/** 30 marks in a row and before another one, also those of half width that decompose to marks. */
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;
/** A combining grapheme joiner, which no mark is sorted across. */
const JOINER = '\u034f';

/**
 * The normal form of the text, in a time in proportion to its length. Marks of one letter are sorted, which takes a
 * square of their number: an hour for a text that is as long as an object may be. So runs of more than 30 marks, which
 * no language has, are divided as in the Stream-Safe Text Format (UAX #15 §13).
 */
export function normalized(text: string, form: 'NFC' | 'NFKD'): string {
  return ASCII.test(text) ? text : text.replace(MANY_MARKS, `$&${JOINER}`).normalize(form);
}

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
  return inOneCase(normalized(text, 'NFKD'))
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
