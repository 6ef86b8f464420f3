/** Splits an answer of any length into lines, with an end also if the server sends for ever. */

export interface LineLimits {
  /** Of a line. */
  readonly characters: number;
  readonly lines: number;
}

/** A line has one object of the cluster at most, with what was around it. A hundred million take half an hour. */
const LIMITS: LineLimits = { characters: 16 * 1024 * 1024, lines: 100_000_000 };

/** Throws an Error beyond the limits. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, limits: LineLimits = LIMITS): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let characters = 0;
  let lines = 0;
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    characters += first.length;
    for (const next of others) {
      lines += 1;
      if (lines > limits.lines) throw new Error(`the answer has more than ${limits.lines} lines`);
      yield begun.join('');
      begun = [next];
      characters = next.length;
    }
    if (characters > limits.characters) throw new Error('a line of the answer is too long');
  }
  if (characters > 0) yield begun.join('');
}
