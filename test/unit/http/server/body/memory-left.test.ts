/** The bodies that can be read with the memory that is left. */
import { expect, test } from 'vitest';
import { beyondMemory, memoryLeft, readableWithin } from '../../../../../src/http/server/body/memory-left.ts';

const MIB = 2 ** 20;

test('a fifth of the memory that is left can be read, and a refusal says so', () => {
  const left = memoryLeft({ limit: 512 * MIB, used: 412 * MIB });
  expect([left, readableWithin(left)]).toEqual([100 * MIB, 20 * MIB]);
  expect(beyondMemory(left).message).toBe(
    'The container has 100 MiB of memory left, which is enough to read a body of 20 MiB. Send this one in parts, or raise the memory limit of the container.',
  );
});

test('nothing is left beyond the limit', () => {
  expect(memoryLeft({ limit: 100 * MIB, used: 101 * MIB })).toBe(0);
});

test.each([0, 2 ** 64])('a limit of %i is none', (limit) => {
  expect(memoryLeft({ limit, used: 412 * MIB })).toBeGreaterThan(2 ** 60);
});
