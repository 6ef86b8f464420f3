/** A number with its noun, such as `1 file` and `2 files`. */
export function plural(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`;
}
