/** The flags of an edge when a listener throws. */
import { expect, test } from 'vitest';
import { createEdgeFlags } from '../../../src/edge/flags.ts';
import { readDocument } from '../../../src/wire/client/read-document.ts';

test('every listener has the changes that follow, and each source has its own state', () => {
  const [mistake, faults, touched] = [new Error('mistake'), [] as unknown[], [] as unknown[]];
  const flags = createEdgeFlags(
    () => 0,
    (error) => faults.push(error),
  );
  flags.onTouched(() => {
    throw mistake;
  });
  flags.onTouched((names) => touched.push(names));
  const features = ['a', 'b'].map((name) => ({ name, enabled: true }));
  const read = readDocument({ features, segments: [] });
  if ('problem' in read) throw new Error(read.problem);
  const source = { key: 'k', environment: 'production' };
  flags.replace(source, read.value);
  const removed = ['a', 'b'].map((featureName) => ({ type: 'feature-removed' as const, featureName }));
  flags.apply(source, removed);
  expect(touched).toEqual([['a', 'b'], ['a'], ['b']]);
  expect(faults).toEqual([mistake, mistake, mistake]);
  expect(flags.sizeOf(source)).toEqual({ flags: 0, characters: 0 });
});
