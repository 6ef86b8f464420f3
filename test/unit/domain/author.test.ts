/** Who wrote an object last. */
import { describe, expect, test } from 'vitest';
import {
  type Author,
  type Authored,
  changeStamp,
  creationStamp,
  deletionStamp,
  lastAuthorOf,
} from '../../../src/domain/author.ts';

const alice: Author = { name: 'alice', via: 'kubernetes-token', from: '10.1.2.3' };

const owner = (manager: string, time: string | undefined): Authored['owners'][number] => {
  return { manager, operation: 'Update', time, fields: '{}' };
};
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-02T00:00:00Z';

function written(generation: number, annotations: Readonly<Record<string, string>>, more: Partial<Authored> = {}) {
  return {
    metadata: { generation, annotations },
    owners: [owner('kubectl-edit', LATE), owner('flux', EARLY)],
    ...more,
  };
}

describe('the last author', () => {
  test('of a change is whom its stamp names', () => {
    expect(lastAuthorOf(written(4, changeStamp(alice, { generation: 3 })))).toBe('alice');
  });

  test('of a new object is whom its stamp names', () => {
    expect(lastAuthorOf(written(1, creationStamp(alice)))).toBe('alice');
  });

  test.each([2, 4, 6])('is not taken from the stamp of another generation (%i)', (generation) => {
    const stamp = changeStamp(alice, { generation });
    expect(lastAuthorOf(written(4, stamp))).toBe('field manager kubectl-edit');
  });

  test('is the manager that wrote last, where nobody has stamped', () => {
    expect(lastAuthorOf(written(4, {}))).toBe('field manager kubectl-edit');
    expect(lastAuthorOf(written(4, {}, { owners: [owner('flux', EARLY), owner('helm', LATE)] }))).toBe(
      'field manager helm',
    );
  });

  test('stays whom the status has named, while the spec stays: a re-apply that changes nothing is no change', () => {
    const status = { observedGeneration: 4, changedBy: 'field manager flux' };
    expect(lastAuthorOf(written(4, {}, { status }))).toBe('field manager flux');
    expect(lastAuthorOf(written(5, {}, { status }))).toBe('field manager kubectl-edit');
  });

  test('is the stamped one, whomever the status has named', () => {
    const status = { observedGeneration: 4, changedBy: 'field manager flux' };
    expect(lastAuthorOf(written(4, changeStamp(alice, { generation: 3 }), { status }))).toBe('alice');
  });

  test('is nobody where nothing tells', () => {
    expect(lastAuthorOf({ metadata: { generation: 1 }, owners: [] })).toBeUndefined();
  });
});

describe('a stamp', () => {
  test('of a caller without an address leaves none of an earlier caller', () => {
    const stamp = changeStamp({ name: 'vexil', via: 'environment-clone' }, { generation: 1 });
    expect({ ...changeStamp(alice, { generation: 0 }), ...stamp }).toEqual({
      'vexil.dev/changed-by': 'vexil',
      'vexil.dev/changed-generation': '2',
      'vexil.dev/changed-via': 'environment-clone',
      'vexil.dev/changed-from': '',
    });
  });

  test('of a deletion says when', () => {
    expect(deletionStamp(alice, Date.parse(LATE))).toEqual({
      'vexil.dev/deleted-by': 'alice',
      'vexil.dev/deleted-at': '2026-01-02T00:00:00.000Z',
      'vexil.dev/deleted-via': 'kubernetes-token',
      'vexil.dev/deleted-from': '10.1.2.3',
    });
  });
});
