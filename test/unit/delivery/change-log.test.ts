/** The log of changes when a flag cannot be read. */
import { expect, test } from 'vitest';
import { createChangeLog } from '../../../src/delivery/change-log.ts';
import type { ServedFlag } from '../../../src/delivery/served-flag.ts';

test('a flag that throws is looked at again, and the changes of the others are there at once', () => {
  const flags = new Map<string, ServedFlag>();
  const write = (name: string, text: string) => {
    const bytes = Buffer.from(text);
    flags.set(name, { name, project: 'shop', tags: [], bytes, inlined: bytes, segments: [], forEdges: () => '' });
  };
  for (const name of ['a', 'b', 'c']) write(name, 'before');
  const [mistake, faults] = [new Error('mistake'), [] as unknown[]];
  let isBroken = true;
  const log = createChangeLog({
    served(name) {
      if (isBroken && name === 'b') throw mistake;
      return flags.get(name);
    },
    everyServed: () => flags.values(),
    onFault: (error, name) => faults.push([name, error]),
  });
  const namesSince = (number: number) => log.since(number)?.map(({ name }) => name);

  for (const name of ['a', 'b', 'c']) write(name, 'after');
  log.touch(['a', 'b', 'c']);
  expect([log.head(), namesSince(0)]).toEqual([2, ['a', 'c']]);
  log.touch(['a']);
  expect([log.head(), faults]).toEqual([2, [['b', mistake]]]);
  isBroken = false;
  expect(namesSince(2)).toEqual(['b']);
  isBroken = true;
  log.touch('all');
  expect([log.head(), faults.length]).toEqual([3, 2]);
  write('b', 'last');
  isBroken = false;
  expect(namesSince(3)).toEqual(['b']);
});
