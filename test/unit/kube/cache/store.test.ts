import { describe, expect, test } from 'vitest';
import type { Change } from '../../../../src/kube/cache/partition.ts';
import { createStore } from '../../../../src/kube/cache/store.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import {
  PROBE,
  type Probe,
  type ProbeSpec,
  type ProbeStatus,
  type RawProbe,
  rawProbe,
} from '../../../support/probe.ts';

const A = { namespace: 'home', name: 'a' };

function aStore() {
  const faults: unknown[] = [];
  const store = createStore<ProbeSpec, ProbeStatus, 'group'>({
    kind: PROBE,
    indexes: { group: (probe) => [probe.spec.group ?? ''] },
    onFault: (error) => faults.push(error),
  });
  const sink = store.sink('home');
  const recorded: string[] = [];
  store.subscribe((change) => recorded.push(story(change)));
  return { store, sink, recorded, faults };
}

function story({ before, after }: Change<ProbeSpec, ProbeStatus>): string {
  const [old, next] = [before, after].map((object) => object?.metadata.resourceVersion ?? '-');
  return `${(after ?? before)?.metadata.name} ${old}>${next}`;
}

function written(probe: RawProbe): Probe {
  return parseObject(PROBE, rawProbe(probe));
}

function syncedStore(version = 10, listed: RawProbe[] = []) {
  const parts = aStore();
  parts.sink.begin(false);
  for (const probe of listed) parts.sink.listed(rawProbe(probe));
  parts.sink.swap(String(version));
  parts.recorded.length = 0;
  return parts;
}

const shown = ({ store }: ReturnType<typeof aStore>): string | undefined => store.get(A)?.metadata.resourceVersion;

describe('a watch', () => {
  test('never sets the cache back', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.sink.applied(rawProbe({ version: 12 }));
    parts.sink.applied(rawProbe({ version: 11 }));
    parts.sink.applied(rawProbe({ version: 12 }));
    expect(shown(parts)).toBe('12');
    parts.sink.deleted(rawProbe({ version: 14 }));
    parts.sink.applied(rawProbe({ version: 13 }));
    expect(shown(parts)).toBeUndefined();
    expect(parts.recorded).toEqual(['a 8>12', 'a 12>-']);
  });

  test('is trusted when versions cannot be ordered', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.sink.applied(rawProbe({ version: 'x1' }));
    parts.sink.applied(rawProbe({ version: 'x0' }));
    expect(shown(parts)).toBe('x0');
  });
});

describe('the first list', () => {
  test('shows each object as it arrives, and is complete at its end', async () => {
    const { store, sink, recorded } = aStore();
    const synced = store.whenSynced();
    sink.begin(false);
    sink.listed(rawProbe({ version: 8 }));
    sink.listed(rawProbe({ name: 'b', version: 9 }));
    expect(recorded).toEqual(['a ->8', 'b ->9']);
    expect([store.size, store.synced]).toEqual([2, false]);
    sink.swap('10');
    await synced;
    expect(recorded).toEqual(['a ->8', 'b ->9']);
  });

  test('that starts again forgets deleted objects, and applies changed ones', () => {
    const { sink, recorded } = aStore();
    sink.begin(false);
    sink.listed(rawProbe({ version: 7 }));
    sink.listed(rawProbe({ name: 'b', version: 8 }));
    sink.begin(false);
    sink.listed(rawProbe({ name: 'b', version: 9 }));
    sink.swap('10');
    expect(recorded).toEqual(['a ->7', 'b ->8', 'b 8>9', 'a 7>-']);
  });

  test('does not hide a newer own write', () => {
    const parts = aStore();
    parts.sink.begin(false);
    parts.store.put(written({ version: 9 }));
    parts.sink.listed(rawProbe({ version: 8 }));
    expect(shown(parts)).toBe('9');
    parts.sink.swap('8');
    expect(shown(parts)).toBe('9');
  });

  test('is shown as a whole if it is a later one', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 12 }));
    expect(shown(parts)).toBe('8');
    parts.sink.swap('12');
    expect(shown(parts)).toBe('12');
  });
});

describe('an own write', () => {
  test('is shown at once, and older frames do not hide it', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.store.put(written({ version: 15 }));
    parts.sink.applied(rawProbe({ version: 12 }));
    expect(shown(parts)).toBe('15');
    parts.sink.applied(rawProbe({ version: 15 }));
    parts.sink.applied(rawProbe({ version: 16 }));
    expect(parts.recorded).toEqual(['a 8>15', 'a 15>16']);
  });

  test('that the watch has already passed is not restored', () => {
    const parts = syncedStore(10);
    parts.sink.applied(rawProbe({ version: 11 }));
    parts.sink.deleted(rawProbe({ version: 12 }));
    parts.store.put(written({ version: 11 }));
    expect(shown(parts)).toBeUndefined();
  });

  test('whose answers come in the wrong order stays the newest', () => {
    const parts = syncedStore(10);
    parts.store.put(written({ version: 16 }));
    parts.store.put(written({ version: 15 }));
    expect(shown(parts)).toBe('16');
  });

  test('before the first list survives an older list', () => {
    const parts = aStore();
    parts.store.put(written({ version: 15 }));
    parts.sink.begin(false);
    parts.sink.swap('12');
    expect(shown(parts)).toBe('15');
    parts.sink.begin(false);
    parts.sink.swap('15');
    expect(shown(parts)).toBeUndefined();
  });
});

describe('an own deletion', () => {
  test('is shown at once, and no event of that object restores it', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.store.drop(A, 'uid-a', '8');
    parts.sink.applied(rawProbe({ version: 12 }));
    parts.store.put(written({ version: 13 }));
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 12 }));
    parts.sink.swap('13');
    expect(shown(parts)).toBeUndefined();
    parts.sink.deleted(rawProbe({ version: 14 }));
    expect(parts.recorded).toEqual(['a 8>-']);
  });

  test('gives way to a new object of that name', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.store.drop(A, 'uid-a', '8');
    parts.store.put(written({ version: 14, uid: 'next' }));
    parts.sink.deleted(rawProbe({ version: 12 }));
    expect(shown(parts)).toBe('14');
    parts.sink.applied(rawProbe({ version: 14, uid: 'next' }));
    parts.sink.deleted(rawProbe({ version: 15, uid: 'next' }));
    expect(shown(parts)).toBeUndefined();
  });

  test('that the watch reported first leaves nothing behind', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.sink.deleted(rawProbe({ version: 12 }));
    parts.store.drop(A, 'uid-a', '8');
    parts.sink.applied(rawProbe({ version: 13, uid: 'next' }));
    expect(shown(parts)).toBe('13');
  });
});

describe('a later list', () => {
  test('reports only differences, and reuses unchanged objects', () => {
    const parts = syncedStore(10, [{ version: 8 }, { name: 'b', version: 9 }, { name: 'c', version: 7 }]);
    const before = parts.store.get(A);
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 8 }));
    parts.sink.listed(rawProbe({ name: 'b', version: 15 }));
    expect(parts.store.size).toBe(3);
    parts.sink.swap('20');
    expect(parts.store.get(A)).toBe(before);
    expect(parts.recorded.sort()).toEqual(['b 9>15', 'c 7>-']);
  });

  test('shows readers and listeners the new state only whole', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    const sizes: number[] = [];
    parts.store.subscribe(() => sizes.push(parts.store.size, parts.store.by('group', '').length));
    parts.sink.begin(false);
    for (const name of ['b', 'c', 'd']) parts.sink.listed(rawProbe({ name, version: 11 }));
    parts.sink.swap('20');
    expect(new Set(sizes)).toEqual(new Set([3]));
  });

  test('that began again forgets the objects of an unfinished one', () => {
    const parts = syncedStore(10);
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 11 }));
    parts.sink.begin(false);
    parts.sink.swap('20');
    expect(parts.store.size).toBe(0);
  });

  test('of a restored backup is accepted as it is, also over own writes', () => {
    const parts = syncedStore(10, [{ version: 8 }]);
    parts.sink.applied(rawProbe({ version: 30 }));
    parts.store.put(written({ version: 31 }));
    parts.sink.begin(true);
    parts.sink.listed(rawProbe({ version: 8 }));
    parts.sink.swap('12');
    expect(shown(parts)).toBe('8');
    parts.sink.applied(rawProbe({ version: 13 }));
    expect(shown(parts)).toBe('13');
  });

  test('of a restored backup that is read again reuses no earlier version either', () => {
    const parts = syncedStore(10, [{ version: 8, spec: { note: 'lost' } }]);
    parts.sink.begin(true);
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 8, spec: { note: 'restored' } }));
    parts.sink.swap('12');
    expect(parts.store.get(A)?.spec.note).toBe('restored');
    parts.sink.begin(false);
    const restored = parts.store.get(A);
    parts.sink.listed(rawProbe({ version: 8, spec: { note: 'restored' } }));
    parts.sink.swap('13');
    expect(parts.store.get(A)).toBe(restored);
  });

  test('that streams keeps the order of its events', () => {
    const parts = aStore();
    parts.sink.begin(false);
    parts.sink.listed(rawProbe({ version: 8 }));
    parts.sink.unlisted(rawProbe({ version: 9 }));
    parts.sink.listed(rawProbe({ version: 8 }));
    parts.sink.swap('10');
    expect(parts.store.size).toBe(0);
  });
});

test('an index returns the same array until something in that bucket changes', () => {
  const parts = syncedStore(10, [
    { version: 8, spec: { group: 'g' } },
    { name: 'b', version: 9, spec: { group: 'h' } },
  ]);
  const g = parts.store.by('group', 'g');
  parts.sink.applied(rawProbe({ name: 'b', version: 11, spec: { group: 'h' } }));
  expect(parts.store.by('group', 'g')).toBe(g);
  parts.sink.applied(rawProbe({ version: 12, spec: { group: 'h' } }));
  expect(g).toHaveLength(1);
  expect(parts.store.by('group', 'g')).toEqual([]);
  expect(parts.store.by('group', 'h')).toHaveLength(2);
  expect(parts.store.by('group', 'none')).toBe(parts.store.by('group', 'g'));
});

test('a listener that throws affects neither the cache nor the others', () => {
  const parts = syncedStore();
  const mistake = new Error('mistake');
  parts.store.subscribe(() => {
    throw mistake;
  });
  const later: string[] = [];
  parts.store.subscribe((change) => later.push(story(change)));
  parts.sink.applied(rawProbe({ version: 11 }));
  expect(later).toEqual(['a ->11']);
  expect(parts.faults).toEqual([mistake]);
});

test('the cache is synced when every scope is', async () => {
  const { store, sink } = aStore();
  const other = store.sink('shop');
  const synced = store.whenSynced();
  sink.begin(false);
  sink.swap('1');
  expect(store.synced).toBe(false);
  other.begin(false);
  other.swap('1');
  await synced;
  expect(store.synced).toBe(true);
  const reason = new Error('enough');
  await expect(createStoreThatWaits(AbortSignal.abort(reason))).rejects.toBe(reason);
});

function createStoreThatWaits(signal: AbortSignal): Promise<void> {
  return aStore().store.whenSynced(signal);
}
