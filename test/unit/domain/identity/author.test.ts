/** The user who wrote an object last. */
import { describe, expect, test } from 'vitest';
import {
  type Author,
  type Authored,
  changeStamp,
  creationStamp,
  creatorOf,
  deletionStamp,
  lastAuthorOf,
  writersBetween,
} from '../../../../src/domain/identity/author.ts';

const alice: Author = { name: 'alice', via: 'kubernetes-token', from: '10.1.2.3' };

const owner = (manager: string, time: string | undefined): Authored['owners'][number] => {
  return { manager, operation: 'Update', time, fields: '{}' };
};
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-01-02T00:00:00Z';

type Stamp = ReturnType<typeof changeStamp>;

/** Returns the annotations after a stamp has overwritten them. */
function stamped(stamp: Stamp, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const entries = Object.entries({ ...before, ...stamp });
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function written(generation: number, stamp: Stamp, more: Partial<Authored> = {}): Authored {
  return {
    metadata: { generation, annotations: stamped(stamp) },
    owners: [owner('kubectl-edit', LATE), owner('flux', EARLY)],
    ...more,
  };
}

describe('the last author', () => {
  test('of a change is the author of its stamp', () => {
    expect(lastAuthorOf(written(4, changeStamp(alice, { generation: 3 })))).toBe('alice');
  });

  test('of a new object is the author of its stamp', () => {
    expect(lastAuthorOf(written(1, creationStamp(alice)))).toBe('alice');
  });

  test.each([2, 4, 6])('is not taken from the stamp of another generation (%i)', (generation) => {
    const stamp = changeStamp(alice, { generation });
    expect(lastAuthorOf(written(4, stamp))).toBe('field manager kubectl-edit');
  });

  test('is the manager that wrote last, without a stamp', () => {
    expect(lastAuthorOf(written(4, {}))).toBe('field manager kubectl-edit');
    expect(lastAuthorOf(written(4, {}, { owners: [owner('flux', EARLY), owner('helm', LATE)] }))).toBe(
      'field manager helm',
    );
  });

  test('stays as in the status while the spec stays: a re-apply without a change is no change', () => {
    const status = { observedGeneration: 4, changedBy: 'field manager flux' };
    expect(lastAuthorOf(written(4, {}, { status }))).toBe('field manager flux');
    expect(lastAuthorOf(written(5, {}, { status }))).toBe('field manager kubectl-edit');
  });

  test('is the stamped one, whatever the status says', () => {
    const status = { observedGeneration: 4, changedBy: 'field manager flux' };
    expect(lastAuthorOf(written(4, changeStamp(alice, { generation: 3 }), { status }))).toBe('alice');
  });

  test('is one of those that wrote in the last second', () => {
    const owners = [owner('flux', LATE), owner('kubectl-edit', LATE), owner('flux', LATE), owner('helm', EARLY)];
    expect(lastAuthorOf(written(4, {}, { owners }))).toBe('field manager flux or kubectl-edit');
  });

  test('without a stamp is never the API, which always stamps: not even if it wrote in the same second', () => {
    const owners = [owner('kubectl-edit', LATE), owner('vexil-api', LATE), owner('flux', EARLY)];
    expect(lastAuthorOf(written(4, {}, { owners }))).toBe('field manager kubectl-edit');
  });

  test('is the API if it is the only writer: its stamp was removed', () => {
    expect(lastAuthorOf(written(4, {}, { owners: [owner('vexil-api', LATE)] }))).toBe('field manager vexil-api');
  });

  test('is unknown without a stamp and a field manager', () => {
    expect(lastAuthorOf({ metadata: { generation: 1 }, owners: [] })).toBeUndefined();
  });
});

describe('the creator', () => {
  const bob: Author = { name: 'bob', via: 'api-token' };

  test('stays after changes by other users', () => {
    const annotations = stamped(changeStamp(bob, { generation: 1 }), creationStamp(alice));
    const object = { metadata: { generation: 2, annotations }, owners: [] };
    expect([creatorOf(object), lastAuthorOf(object)]).toEqual(['alice', 'bob']);
  });

  test('without a stamp is the last writer', () => {
    expect(creatorOf(written(4, {}))).toBe('field manager kubectl-edit');
  });
});

describe('the managers of a change', () => {
  const [flux, kubectl, api] = [owner('flux', EARLY), owner('kubectl-edit', LATE), owner('vexil-api', LATE)];
  test.each<[string, Authored['owners'], Authored['owners'], readonly string[]]>([
    ['of a new object wrote it', [], [flux], ['flux']],
    ['wrote since', [flux], [flux, kubectl, api], ['kubectl-edit']],
    [
      'wrote in the same second as another before',
      [kubectl],
      [kubectl, owner('our-controller', LATE)],
      ['our-controller'],
    ],
    [
      'wrote other fields in the same second',
      [kubectl, flux],
      [{ ...kubectl, fields: '{"f:a":{}}' }, flux],
      ['kubectl-edit'],
    ],
    [
      'leave no trace if they write the same fields in the same second',
      [flux, kubectl],
      [flux, kubectl],
      ['kubectl-edit'],
    ],
  ])('%s', (_, before, after, want) => {
    expect(writersBetween(before, after)).toEqual(want);
  });
});

describe('a stamp', () => {
  test('of a change removes the stamp of a deletion that did not happen', () => {
    const annotations = { own: 'stays', ...deletionStamp(alice, Date.parse(LATE)) };
    const after = stamped(changeStamp(alice, { generation: 1, annotations }), annotations);
    expect(Object.keys(after).filter((key) => /own|deleted/.test(key))).toEqual(['own']);
  });

  test('of a change keeps the stamp of a running deletion', () => {
    const annotations = deletionStamp(alice, Date.parse(LATE));
    const metadata = { generation: 1, annotations, deletionTimestamp: LATE };
    expect(stamped(changeStamp(alice, metadata), annotations)).toMatchObject(annotations);
  });

  test('of a caller without an address removes the address of an earlier caller', () => {
    const stamp = changeStamp({ name: 'vexil', via: 'environment-clone' }, { generation: 1 });
    expect({ ...changeStamp(alice, { generation: 0 }), ...stamp }).toEqual({
      'vexil.dev/changed-by': 'vexil',
      'vexil.dev/changed-generation': '2',
      'vexil.dev/changed-via': 'environment-clone',
      'vexil.dev/changed-from': '',
    });
  });

  test('of a deletion has its time', () => {
    expect(deletionStamp(alice, Date.parse(LATE))).toEqual({
      'vexil.dev/deleted-by': 'alice',
      'vexil.dev/deleted-at': '2026-01-02T00:00:00.000Z',
      'vexil.dev/deleted-via': 'kubernetes-token',
      'vexil.dev/deleted-from': '10.1.2.3',
      'vexil.dev/deleted-channel': '',
      'vexil.dev/deleted-reason': '',
    });
  });

  test('of a change in the console has the reason; the next change removes both', () => {
    const first = stamped(changeStamp({ ...alice, channel: 'console', reason: 'Sale' }, { generation: 1 }));
    expect(first).toMatchObject({ 'vexil.dev/changed-channel': 'console', 'vexil.dev/changed-reason': 'Sale' });
    const next = stamped(changeStamp(alice, { generation: 2, annotations: first }), first);
    expect(Object.keys(next).filter((key) => /channel|reason/.test(key))).toEqual([]);
  });
});
