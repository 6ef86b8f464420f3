/** The encoding that a caller receives, and how often an answer is compressed. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createEncoder, encodingFor } from '../../../../../src/http/server/answer/encodings.ts';
import { Representation } from '../../../../../src/http/server/answer/representation.ts';

const large = (text: string) => new Representation(Buffer.from(text.repeat(2000)));

describe('encodingFor', () => {
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['GZIP;q=0.1', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s', (accepted, wanted) => {
    expect(encodingFor(accepted, large('a'))).toBe(wanted);
    expect(encodingFor(accepted, new Representation(Buffer.from('{}')))).toBeUndefined();
  });
});

describe('encode', () => {
  test('returns the bytes of the present version, compressed once', async () => {
    const current = large('a');
    const answer = { current: () => current };
    const encode = createEncoder();
    const [one, other] = await Promise.all([encode(answer, 'gzip'), encode(answer, 'gzip')]);
    expect(one).toBe(other);
    expect(gunzipSync(one.bytes).equals(current.bytes)).toBe(true);
    const { bytes } = await encode(answer, 'br');
    expect(brotliDecompressSync(bytes).equals(current.bytes)).toBe(true);
  });

  test('compresses only the last of the versions that change during a compression', async () => {
    const versions = ['a', 'b', 'c'].map(large);
    let current = versions[0] as Representation;
    const answer = { current: () => current };
    const encode = createEncoder();
    const found = versions.map((version) => {
      current = version;
      return encode(answer, 'gzip');
    });
    expect((await Promise.all(found)).map(({ of }) => versions.indexOf(of))).toEqual([0, 2, 2]);
  });
});
