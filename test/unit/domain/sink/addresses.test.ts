/** Addresses that a sink may be at, in every form in which they can be written. */
import { describe, expect, test } from 'vitest';
import { addressInUrl, networkOf, refusalOf } from '../../../../src/domain/sink/addresses.ts';

const none = { allowed: [] };

describe.each([
  ['loopback', ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::7f00:1']],
  [
    'link-local and metadata',
    ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254', '168.63.129.16'],
  ],
  ['private', ['10.96.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1', 'fec0::1']],
  [
    'within others',
    ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1', '2002:7f00:1::', '::ffff:0:10.0.0.1'],
  ],
  ['of carriers', ['100.64.0.1', '100.100.100.200', '192.0.0.192', '198.18.0.1']],
  ['nobody', ['0.0.0.0', '::', '255.255.255.255', '224.0.0.1', 'ff02::1', '240.0.0.1', '192.0.2.1', '2001:db8::1']],
  ['no address', ['', 'localhost', '10.0.0']],
])('%s', (_, addresses) => {
  test.each(addresses)('%s is refused', (address) => {
    expect(refusalOf(address, 'https://example.com/', none)).toContain('not public');
  });
});

test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
  expect(refusalOf(address, 'https://example.com/', none)).toBeUndefined();
  expect(refusalOf(address, 'http://example.com/', none)).toContain('use https');
});

test('what the settings allow may be private, and without TLS', () => {
  const networks = { allowed: ['10.1.0.0/16', '10.96.14.7', 'fd00::/8'].map(networkOf) };
  const isAllowed = (address: string) => refusalOf(address, 'http://bus.internal/', networks) === undefined;
  expect(['10.1.255.1', '10.96.14.7', '::ffff:10.1.0.1', 'fd12::1'].map(isAllowed)).toEqual([true, true, true, true]);
  expect(['10.2.0.1', '10.96.14.8', '127.0.0.1', '8.8.8.8'].map(isAllowed)).toEqual([false, false, false, false]);
});

test.each([
  ['https://2130706433/', '127.0.0.1'],
  ['https://0x7f.1/', '127.0.0.1'],
  ['https://0177.0.0.1:8443/x', '127.0.0.1'],
  ['https://１２７.0.0.1/', '127.0.0.1'],
  ['https://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'],
  ['https://example.com/', undefined],
])('%s has the address %s', (url, address) => {
  expect(addressInUrl(url)).toBe(address);
});
