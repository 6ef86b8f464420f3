/** Ids of objects that vanish before a status shows them. */
import { expect, test } from 'vitest';
import type { HighestIdByKind } from '../../../src/domain/identity/integer-id.ts';
import { createIds } from '../../../src/kinds/integer-ids.ts';

interface Kept {
  readonly highest: HighestIdByKind;
}

test('the ids that no status shows are remembered, up to a bound', async () => {
  let kept: Kept = { highest: {} };
  const ids = createIds<Kept>({
    kept: {
      read: async () => kept,
      async write(highest) {
        kept = { highest };
        return kept;
      },
    },
    highestIds: () => ({}),
  });
  const idOf = (uid: string) => {
    const metadata = { name: uid, namespace: 'home', uid, creationTimestamp: '2026-01-01T00:00:00Z' };
    const object = { metadata: { ...metadata, resourceVersion: '1', generation: 1 }, spec: {}, status: undefined };
    return ids.idFor('users', { ...object, defects: [] }, { conflictingOwner: undefined, idConflictWith: undefined });
  };
  expect([await idOf('first'), await idOf('first')]).toEqual([1, 1]);
  await Promise.all(Array.from({ length: 10_000 }, (_, number) => idOf(`other-${number}`)));
  expect(await idOf('first')).toBe(10_002);
});
