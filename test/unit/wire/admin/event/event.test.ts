/** The answer of a search in the history. */
import { expect, test } from 'vitest';
import { presentSearch } from '../../../../../src/wire/admin/event/event.ts';

const links = { flag: () => undefined, project: () => undefined };

test('the answer says that there are more matches than were counted, and only then', () => {
  expect(presentSearch({ entries: [], total: 10_000, totalIsAtLeast: true }, links)).toEqual({
    events: [],
    total: 10_000,
    totalIsAtLeast: true,
  });
  expect(presentSearch({ entries: [], total: 10_000 }, links)).toEqual({ events: [], total: 10_000 });
});
