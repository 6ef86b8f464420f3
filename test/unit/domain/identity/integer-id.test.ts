/** The owner of an id, and the next id. */
import { describe, expect, test } from 'vitest';
import { allocateIds, highestIdsOf, idOwnerOf, idVerdict } from '../../../../src/domain/identity/integer-id.ts';
import { userObject } from '../objects.ts';

const older = '2026-01-01T00:00:00Z';
const younger = '2026-01-01T00:00:01Z';
const noConflicts = { conflictingOwner: undefined, idConflictWith: undefined };
const other = { namespace: 'home', name: 'other' };

describe('the owner of an id', () => {
  test('is the older one of those that pin it', () => {
    const a = userObject('home/a', { id: 7 }, { creationTimestamp: younger });
    const b = userObject('home/b', { id: 7 }, { creationTimestamp: older });
    expect(idOwnerOf([a, b], 7)).toBe(b);
  });

  test('is the user that has the id already, even if an older one pins it', () => {
    const has = userObject('home/a', {}, { creationTimestamp: younger, status: { id: 7 } });
    const pins = userObject('home/b', { id: 7 }, { creationTimestamp: older });
    expect(idOwnerOf([pins, has], 7)).toBe(has);
  });

  test('is none if no user has or pins it', () => {
    expect(idOwnerOf([], 7)).toBeUndefined();
  });
});

describe('the id in a status', () => {
  test.each<[string, object, object | undefined, object, unknown]>([
    ['is a new one for an object without one', {}, undefined, noConflicts, 'new'],
    ['stays what it is', {}, { id: 7 }, noConflicts, 7],
    ['is the one that is pinned', { id: 7 }, undefined, noConflicts, 7],
    ['stays while it is pinned', { id: 7 }, { id: 7 }, noConflicts, 7],
    ['is removed before it becomes another', { id: 7 }, { id: 8 }, noConflicts, 'none'],
    ['is removed when another owns it', { id: 7 }, { id: 7 }, { idConflictWith: other }, 'none'],
    ['is none while another owns the pinned one', { id: 7 }, undefined, { idConflictWith: other }, 'none'],
    ['is none for an object that does not own its name', {}, undefined, { conflictingOwner: other }, 'none'],
    [
      'is none for an object that pins one and does not own its name',
      { id: 7 },
      undefined,
      { conflictingOwner: other },
      'none',
    ],
    ['stays though the name is lost', {}, { id: 7 }, { conflictingOwner: other }, 7],
    ['is none where the spec may have meant to pin one', { id: 'seven' }, undefined, noConflicts, 'none'],
    ['stays though the spec cannot be read', { id: 'seven' }, { id: 7 }, noConflicts, 7],
  ])('%s', (_, spec, status, conflictingOwners, want) => {
    expect(idVerdict(userObject('home/a', spec, { status }), { ...noConflicts, ...conflictingOwners })).toBe(want);
  });
});

describe('highest ids', () => {
  const idsOf = (allocations: readonly { id: number }[]) => allocations.map(({ id }) => id);

  test('rise with each assigned id, separately for each kind', () => {
    const requests = [{ plural: 'flagusers' }, { plural: 'flagroles' }, { plural: 'flagusers' }];
    const { highest, allocations } = allocateIds({ flagusers: 4, flagroles: 5 }, requests);
    expect(idsOf(allocations)).toEqual([5, 6, 6]);
    expect(highest).toEqual({ flagusers: 6, flagroles: 6 });
  });

  test('rise with a pinned id, and never fall', () => {
    const pins = (id: number) => ({ plural: 'flagusers', id });
    const { highest, allocations } = allocateIds({ flagusers: 4 }, [pins(9), pins(2), { plural: 'flagusers' }]);
    expect([idsOf(allocations), highest]).toEqual([[9, 2, 10], { flagusers: 10 }]);
  });

  test('are the highest of all sources', () => {
    expect(highestIdsOf({ a: 1, b: 5 }, { a: 3, c: 2 })).toEqual({ a: 3, b: 5, c: 2 });
  });
});
