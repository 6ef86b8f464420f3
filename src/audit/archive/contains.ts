/** Finds a text in another one, in time that grows with the length of the other one alone. */

/**
 * V8 looks for a longer text by its last 250 characters only, and compares the rest anew at each place: with 1,000
 * characters that takes up to 165 ms for each MB. Of up to so many it takes 17 ms at most.
 */
const LONGEST_BY_V8 = 249;

/** Gives a test for one text that is looked for in many. */
export function containing(wanted: string): (text: string) => boolean {
  if (wanted.length <= LONGEST_BY_V8) return (text) => text.includes(wanted);
  const borders = bordersOf(wanted);
  return (text) => containsByBorders(text, wanted, borders);
}

/** The algorithm of Knuth, Morris and Pratt: for each length the longest end of that part which is its beginning, too. */
function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let index = 1; index < wanted.length; index += 1) {
    length = lengthAfter(length, wanted.charCodeAt(index), { wanted, borders });
    borders[index] = length;
  }
  return borders;
}

function containsByBorders(text: string, wanted: string, borders: Int32Array): boolean {
  const pattern = { wanted, borders };
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    length = lengthAfter(length, text.charCodeAt(index), pattern);
    if (length === wanted.length) return true;
  }
  return false;
}

interface Pattern {
  readonly wanted: string;
  readonly borders: Int32Array;
}

/** How much of the beginning is there after one more character. */
function lengthAfter(before: number, code: number, { wanted, borders }: Pattern): number {
  let length = before;
  while (length > 0 && wanted.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
  return wanted.charCodeAt(length) === code ? length + 1 : length;
}
