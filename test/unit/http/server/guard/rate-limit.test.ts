/** Callers without a token are counted by address, and those of IPv6 by network. */
import { expect, test } from 'vitest';
import { addressKey } from '../../../../../src/http/server/guard/rate-limit.ts';

test.each<readonly [string, string, boolean]>([
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['::ffff:192.0.2.1', '192.0.2.1', true],
  ['::ffff:c000:201', '192.0.2.1', true],
  ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:200::1', '2001:DB8:0001:0200:0:0:0:2', true],
  ['2001:db8:1:200::1', '2001:db8:1:300::1', false],
  ['1::2:3:4:5:6:7', '1:0:2:3:4:5:6:8', true],
  ['::1', '::2', true],
  ['fe80::1%eth0.7', 'fe80::2', true],
  ['::1', '100::1', false],
])('%s and %s are counted together: %s', (one, other, isSame) => {
  expect(addressKey(one) === addressKey(other)).toBe(isSame);
});
