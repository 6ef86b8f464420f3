/** Quotes text for a POSIX shell. */

/** Quotes one word of a command line. Plain words stay unchanged. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
