import { expect, test } from 'vitest';
import { readFrames } from '../../../../src/kube/api/frames.ts';

const frames = [{ a: 'Grüße 🎈' }, { b: [1, 2] }, { c: {} }];
const bytes = Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));

async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

async function read(parts: Uint8Array[], maxBytes?: number): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const frame of readFrames(chunks(...parts), maxBytes)) read.push(frame);
  return read;
}

test('frames are complete wherever the bytes are split', async () => {
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(frames);
  }
});

test('frames are complete byte by byte, also within characters', async () => {
  expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(frames);
});

test('a stream that ends inside a frame is an error at every position', async () => {
  const line = Buffer.from('{"a":{"b":1}}');
  for (let cut = 1; cut <= line.length; cut += 1) {
    await expect(read([line.subarray(0, cut)])).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('empty lines are ignored', async () => {
  expect(await read([Buffer.from('\n\n{}\n\n')])).toEqual([{}]);
});

test('a frame without an end is given up', async () => {
  await expect(read([Buffer.alloc(60, 'x'), Buffer.alloc(60, 'x')], 100)).rejects.toMatchObject({
    code: 'unavailable',
  });
});

test('a line that is not JSON is an error without the line in its text', async () => {
  await expect(read([Buffer.from('secret\n')])).rejects.toThrow(/not JSON$/);
});
