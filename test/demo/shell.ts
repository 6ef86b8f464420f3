/** Text as a POSIX shell reads it back. */

/** One word of a command line; plain words stay as they are. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
