/** Lines of an answer that may be of any length. */
import { expect, test } from 'vitest';
import { linesOf } from '../../../cli/connection/lines.ts';

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function read(texts: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(texts, { characters: 10, lines: 3 })) lines.push(line);
  return lines;
}

test('lines are put together from chunks, also without a last line end', async () => {
  expect(await read(chunks('a', 'b\nc\n', '\nend'))).toEqual(['ab', 'c', '', 'end']);
});

test.each([
  ['a line that never ends', '0123', 'a line of the answer is too long'],
  ['lines that never end', '\n', 'the answer has more than 3 lines'],
])('%s: reading stops', async (_, text, why) => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; sent < 1_000; sent += 1) yield new TextEncoder().encode(text);
  }
  await expect(read(endless())).rejects.toThrow(why);
  expect(sent).toBeLessThan(5);
});
