/** The caches of the command line take the lists of an API server, in which versions are in any order. */
import { expect, test } from 'vitest';
import { emptyStores } from '../../../src/kinds/empty-stores.ts';
import { aFlag } from '../../support/builders.ts';

test('an object that is older than the one before it in the list is kept', () => {
  const { stores, fill } = emptyStores();
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const stored = (name: string, resourceVersion: string) => {
    const { metadata, ...flag } = aFlag(`shop/${name}`);
    return { ...flag, metadata: { ...metadata, uid: name, generation: 1, creationTimestamp, resourceVersion } };
  };
  fill('flags', [stored('a', '9'), stored('b', '3'), stored('c', '12')]);
  expect([...stores.flags.all()].map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
});
