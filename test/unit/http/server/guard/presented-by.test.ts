/** One address has one form, however a proxy or a socket writes it. */
import { expect, test } from 'vitest';
import { presentedBy } from '../../../../../src/http/server/guard/presented-by.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:0DB8:0:0::0001', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['unknown', undefined],
  ['203.0.113.256', undefined],
  ['', undefined],
])('%s is %s', (ip, address) => {
  expect(presentedBy({ headers: {}, ip }).from).toBe(address);
});
