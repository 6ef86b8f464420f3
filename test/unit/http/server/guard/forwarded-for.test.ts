/** Forwarding headers as real proxies and load balancers write them. */
import { expect, test } from 'vitest';
import { forwardedFor } from '../../../../../src/http/server/guard/forwarded-for.ts';
import { quietMsOf } from '../../../../support/cpu-time.ts';

test.each([
  ['nginx, Envoy', '203.0.113.7', ['203.0.113.7']],
  ['two proxies', '203.0.113.7, 10.0.0.1', ['203.0.113.7', '10.0.0.1']],
  ['without spaces', '203.0.113.7,10.0.0.1', ['203.0.113.7', '10.0.0.1']],
  ['Azure Application Gateway', '203.0.113.7:60604', ['203.0.113.7']],
  ['Azure Front Door behind a gateway', '203.0.113.7, 198.51.100.2:1230', ['203.0.113.7', '198.51.100.2']],
  ['AWS load balancer with client ports', '[2001:db8:1::7]:443', ['2001:db8:1::7']],
  ['brackets without a port', '[2001:db8:1::7]', ['2001:db8:1::7']],
  ['IPv6', '2001:db8:1::7', ['2001:db8:1::7']],
  ['IPv4 in IPv6', '::ffff:203.0.113.7', ['::ffff:203.0.113.7']],
  ['IPv4 in IPv6 with a port', '[::ffff:203.0.113.7]:80', ['::ffff:203.0.113.7']],
  ['IPv6 with a zone', 'fe80::1%eth0', ['fe80::1%eth0']],
  ['a port that was cut', '203.0.113.7:', ['203.0.113.7']],
  ['a hidden client', 'unknown, 10.0.0.1', ['unknown', '10.0.0.1']],
  ['text of a client', 'evil, 203.0.113.7:9', ['evil', '203.0.113.7']],
  ['not an address with a port', '999.1.1.1:80', ['999.1.1.1:80']],
  ['quotes', '"203.0.113.7"', ['203.0.113.7']],
  ['empty values', '203.0.113.7,,10.0.0.1', ['203.0.113.7', '', '10.0.0.1']],
])('X-Forwarded-For of %s', (_, header, addresses) => {
  expect(forwardedFor({ 'x-forwarded-for': header })).toEqual(addresses);
});

test.each([
  ['one address', 'for=203.0.113.7', ['203.0.113.7']],
  ['with a port', 'for="203.0.113.7:4711"', ['203.0.113.7']],
  ['with an unquoted port, against the RFC', 'for=203.0.113.7:4711', ['203.0.113.7']],
  ['IPv6', 'For="[2001:db8:cafe::17]:4711"', ['2001:db8:cafe::17']],
  ['all parameters', 'for=192.0.2.60;proto=http;by=203.0.113.43', ['192.0.2.60']],
  ['other order', 'by=203.0.113.43; proto=https; for=192.0.2.60', ['192.0.2.60']],
  ['two proxies', 'for=192.0.2.43, for=198.51.100.17', ['192.0.2.43', '198.51.100.17']],
  ['a hidden client', 'for=unknown, for=_SEVKISEK', ['unknown', '_SEVKISEK']],
  ['an element without an address', 'proto=https, for=192.0.2.43', ['unknown', '192.0.2.43']],
  ['a comma in quotes', 'for="_a,b";host="x,y", for=192.0.2.43', ['unknown', '192.0.2.43']],
  ['a quote in quotes', 'for=192.0.2.1;host="a\\",b", for=192.0.2.43', ['192.0.2.1', '192.0.2.43']],
  ['a backslash at the end of quotes', 'for=192.0.2.1;host="a\\\\", for=192.0.2.43', ['192.0.2.1', '192.0.2.43']],
  ['an escaped colon', 'for="10.0.0.1\\:80"', ['10.0.0.1']],
  ['a hidden port', 'for="10.0.0.1:_obf"', ['10.0.0.1']],
  ['a hidden port in brackets', 'for="[2001:db8:1::7]:_obf.1"', ['2001:db8:1::7']],
  ['empty elements', ',for=10.0.0.1, ,', ['10.0.0.1']],
  ['empty parameters', ';for=192.0.2.1;;proto=https', ['192.0.2.1']],
  ['a parameter that only ends alike', 'xfor=192.0.2.1;for=192.0.2.2', ['192.0.2.2']],
])('Forwarded with %s', (_, header, addresses) => {
  expect(forwardedFor({ forwarded: header })).toEqual(addresses);
});

test('X-Forwarded-For takes precedence, because a client may send Forwarded through an older proxy', () => {
  expect(forwardedFor({ 'x-forwarded-for': '203.0.113.7', forwarded: 'for=192.0.2.1' })).toEqual(['203.0.113.7']);
  expect(forwardedFor({ 'x-forwarded-for': ' ', forwarded: 'for=192.0.2.1' })).toEqual(['192.0.2.1']);
  expect(forwardedFor({})).toEqual([]);
});

const FROM_CLIENT = [
  'for=10.200.80.7',
  'for=10.200.80.7;x="',
  'proto=http;for=10.200.80.7;x="',
  'for=10.200.80.7;x="a\\',
  '"',
  ',,"\\"',
];
const BY_PROXY = [
  ['for=203.0.113.7', '203.0.113.7'],
  ['for="203.0.113.7:4711"', '203.0.113.7'],
  ['for="[2001:db8::7]:443"', '2001:db8::7'],
  ['for="[2001:db8::7]:443";proto=https', '2001:db8::7'],
  ['proto=https;for="[2001:db8::7]"', '2001:db8::7'],
  // The host is that of the client, too.
  ['host="x;for=10.200.80.7";for=203.0.113.7', '203.0.113.7'],
  ['host="x,for=10.200.80.7";for=203.0.113.7', '203.0.113.7'],
  ['host=x;for=10.200.80.7;for=203.0.113.7', 'unknown'],
] as const;

test('a header of any length and form takes little time', () => {
  for (const part of ['"', '\\"', 'a=', ',', ';', 'for="a ', ' ']) {
    const forwarded = `a=${part.repeat(16_000 / part.length)}x, for=203.0.113.7`;
    expect(forwardedFor({ forwarded }).at(-1)).toBe('203.0.113.7');
    expect([part, quietMsOf(() => forwardedFor({ forwarded }), 1) < 500]).toEqual([part, true]);
  }
});

test.each(FROM_CLIENT)('a client that sends %s does not replace what the proxy adds', (sent) => {
  for (const [added, address] of BY_PROXY) {
    expect([added, forwardedFor({ forwarded: `${sent}, ${added}` }).at(-1)]).toEqual([added, address]);
  }
});
