/** Kept bytes must not keep the blocks that small buffers are allocated from. */
import { expect, test } from 'vitest';
import { bytesOf, concat, joined } from '../../../src/model/bytes.ts';

const text = '{"a":"ä€𝄞"}';

test.each([
  ['bytesOf', bytesOf(text), text],
  ['concat', concat([Buffer.from('{'), new Uint8Array(0), Buffer.from('"ä":1}')]), '{"ä":1}'],
  ['joined', joined('[', [Buffer.from('1'), Buffer.from('"€"')], ']'), '[1,"€"]'],
  ['joined without items', joined('{"features":[', [], ']}'), '{"features":[]}'],
])('%s has the bytes, in its own memory', (_, bytes, expected) => {
  expect(bytes.toString()).toBe(expected);
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});
