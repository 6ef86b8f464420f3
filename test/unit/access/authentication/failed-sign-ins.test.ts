/** Repeated wrong tokens from an address: when the operator reports them. */
import { expect, test } from 'vitest';
import { createFailedSignIns } from '../../../../src/access/authentication/failed-sign-ins.ts';

function aCounter() {
  const recorded: (readonly [unknown, unknown])[] = [];
  const clock = { now: 1_000 };
  const logger = {
    warn: ({ address, failures }: Readonly<Record<string, unknown>>) => void recorded.push([address, failures]),
  };
  const count = createFailedSignIns({ logger, now: () => clock.now });
  const fail = (address: string | undefined, times: number) => {
    for (let left = times; left > 0; left -= 1) count(address);
  };
  return { recorded, clock, fail };
}

test('failures are reported at the 10th within a minute, the 100th, the 1000th, and not in between', () => {
  const { recorded, fail } = aCounter();
  fail('192.0.2.1', 9);
  expect(recorded).toEqual([]);
  fail('192.0.2.1', 4_991);
  expect(recorded).toEqual([
    ['192.0.2.1', 10],
    ['192.0.2.1', 100],
    ['192.0.2.1', 1000],
  ]);
});

test('each address is counted separately; unknown ones are counted together', () => {
  const { recorded, fail } = aCounter();
  fail('192.0.2.1', 9);
  fail('2001:db8::1', 9);
  fail(undefined, 10);
  expect(recorded).toEqual([['unknown', 10]]);
});

test('a minute after the first failure counting begins again, after any number of failures', () => {
  const { recorded, clock, fail } = aCounter();
  fail('192.0.2.1', 5);
  clock.now += 59_000;
  fail('192.0.2.1', 4);
  clock.now += 1_001;
  fail('192.0.2.1', 9);
  expect(recorded).toEqual([]);
  fail('192.0.2.1', 1);
  expect(recorded).toEqual([['192.0.2.1', 10]]);
});

test('beyond the limit of addresses the inactive ones are forgotten first', () => {
  const { recorded, fail } = aCounter();
  fail('192.0.2.1', 8);
  fail('192.0.2.2', 1);
  for (let other = 0; other < 9_999; other += 1) {
    fail(`2001:db8::${other.toString(16)}`, 1);
    if (other === 5_000) fail('192.0.2.1', 1);
  }
  fail('192.0.2.1', 1);
  fail('192.0.2.2', 9);
  expect(recorded).toEqual([['192.0.2.1', 10]]);
});
