/** Bodies that are refused because the container has too little memory left to read them. */
import { expect, test } from 'vitest';
import { refuseBeyondMemory } from '../../../../src/http/server/memory-left.ts';

const MIB = 2 ** 20;

test('a body is refused if reading it takes more memory than is left, with all three figures', () => {
  const memory = { limit: 512 * MIB, used: 412 * MIB };
  expect(refuseBeyondMemory(20 * MIB, memory)).toBe(100 * MIB);
  expect(() => refuseBeyondMemory(20 * MIB + 1, memory)).toThrow(
    'The body has 21 MiB, and an import takes about 101 MiB of memory to read it, but the container has 100 MiB left. Send it in parts, or raise the memory limit of the container.',
  );
});

test.each([0, 2 ** 64])('a limit of %i is none', (limit) => {
  expect(refuseBeyondMemory(100 * MIB, { limit, used: 412 * MIB })).toBeGreaterThan(2 ** 60);
});
