/** Failures of a connection to the archive. */
import { expect, test } from 'vitest';
import { keepConnected, type Opened } from '../../../../src/audit/archive/reconnect.ts';

test('of two failures at the same time, the later one drops no connection that was opened meanwhile', async () => {
  let opened = 0;
  const closed: number[] = [];
  const both = Promise.withResolvers<never>();
  let duringClose: Promise<unknown> | undefined;
  const connected = keepConnected({
    failures: { label: 'the archive', secret: undefined, judge: () => ({ isTemporary: true, reopen: true }) },
    async open() {
      opened += 1;
      const number = opened;
      return {
        size: () => (number === 1 ? both.promise : Promise.resolve({ bytes: number })),
        async close() {
          closed.push(number);
          duringClose ??= connected.size();
        },
      } as unknown as Opened;
    },
  });
  const failing = [connected.size(), connected.size()].map((size) => expect(size).rejects.toThrow('away'));
  both.reject(new Error('away'));
  await Promise.all(failing);
  expect([await duringClose, await connected.size()]).toEqual([{ bytes: 2 }, { bytes: 2 }]);
  await connected.close();
  expect([opened, new Set(closed)]).toEqual([2, new Set([1, 2])]);
});
