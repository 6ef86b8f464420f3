/** Lookups of names that sinks choose: a name that nobody answers for delays no other namespace. */
import { expect, test } from 'vitest';
import { createLookups } from '../../../../src/audit/deliver/lookups.ts';
import { settled } from '../../../support/fake-clock.ts';

function setUp() {
  const asked: { readonly name: string; readonly answer: (address?: string) => void }[] = [];
  const lookups = createLookups((name) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ address: string; family: number }[]>();
    const answer = (address?: string) =>
      address === undefined ? reject(new Error('no address')) : resolve([{ address, family: 4 }]);
    asked.push({ name, answer });
    return promise;
  });
  return { asked, lookups, names: () => asked.map(({ name }) => name) };
}

test('a namespace looks one name up at a time, and others do not wait for it', async () => {
  const { asked, lookups, names } = setUp();
  const [first, second] = ['silent.example', 'other.example'].map(lookups.in('shop'));
  const elsewhere = lookups.in('pay')('hooks.example');
  await settled();
  expect(names()).toEqual(['silent.example', 'hooks.example']);
  asked[1]?.answer('203.0.113.1');
  expect(await elsewhere).toEqual([{ address: '203.0.113.1', family: 4 }]);
  asked[0]?.answer();
  await expect(first).rejects.toThrow('no address');
  await settled();
  expect(names()).toEqual(['silent.example', 'hooks.example', 'other.example']);
  asked[2]?.answer('203.0.113.2');
  expect(await second).toHaveLength(1);
});

test('connections that are opened together share a lookup, and later ones have another', async () => {
  const { asked, lookups, names } = setUp();
  const lookup = lookups.in('shop');
  const together = [lookup('hooks.example'), lookup('hooks.example')];
  await settled();
  asked[0]?.answer('203.0.113.1');
  await Promise.all(together);
  expect(names()).toEqual(['hooks.example']);
  const later = lookup('hooks.example');
  await settled();
  asked[1]?.answer('203.0.113.2');
  expect(await later).toEqual([{ address: '203.0.113.2', family: 4 }]);
});
