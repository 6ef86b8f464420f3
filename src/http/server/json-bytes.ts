/** Bytes of JSON that code reads before a document is parsed. */

export const COMMA = 0x2c;
export const QUOTE = 0x22;
/** The highest byte that may stand between values without a meaning. */
export const BLANK = 0x20;
const BACKSLASH = 0x5c;

/** The index of the quote that ends a text; after the end of the bytes if there is none. */
export function endOfText(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
