/** Every version of an object is found by reads of the past alone, whatever happened. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Incarnation,
  incarnationsBetween,
  type ObjectVersion,
  type Past,
} from '../../../../src/kube/replay/incarnations.ts';
import { createSharedSearch } from '../../../../src/kube/replay/shared-search.ts';

/** One write to etcd: of another object, or of an object with this name. */
type Write = 'elsewhere' | { readonly key: string; readonly does: 'write' | 'delete' };

/** A cluster with its complete past. Version n is the state after the first n writes. */
function play(writes: readonly Write[], scope = 'featureflags/') {
  const states: ReadonlyMap<string, ObjectVersion>[] = [new Map()];
  for (const [index, write] of writes.entries()) {
    const state = new Map(states.at(-1));
    const version = BigInt(index + 1);
    if (write !== 'elsewhere' && write.does === 'delete') state.delete(write.key);
    if (write !== 'elsewhere' && write.does === 'write') {
      state.set(write.key, { uid: state.get(write.key)?.uid ?? `uid-${version}`, version, writtenAt: 0 });
    }
    states.push(state);
  }
  const at = (version: bigint) => states[Number(version)] ?? new Map<string, ObjectVersion>();
  let reads = 0;
  const read = async <T>(value: T): Promise<T> => {
    reads += 1;
    return value;
  };
  const past: Past = {
    scope,
    identityAt: (key, version) => read(at(version).get(key)),
    identitiesAt: (version) => read(at(version)),
    countAt: (version) => read(at(version).size),
  };
  return { past, at, end: BigInt(writes.length), reads: () => reads };
}

type Played = ReturnType<typeof play>;

const shown = (incarnations: readonly Incarnation[]) =>
  incarnations
    .flatMap(({ key, uid, versions, isNew, goneAt }) => [
      ...versions.map(({ version }, index) => ({
        version,
        what: `${isNew && index === 0 ? 'new' : 'changed'} ${key} ${uid}`,
      })),
      ...(goneAt === undefined ? [] : [{ version: goneAt, what: `gone ${key} ${uid}` }]),
    ])
    .toSorted((one, other) => Number(one.version - other.version))
    .map(({ version, what }) => `${version} ${what}`);

/** The events that a watch would have sent. */
function wanted({ at, end }: Played, base: bigint): readonly string[] {
  const versions = Array.from({ length: Number(end - base) }, (_, index) => base + BigInt(index) + 1n);
  return versions.flatMap((version) => {
    const [before, after] = [at(version - 1n), at(version)];
    const gone = [...before].filter(([key]) => !after.has(key));
    const written = [...after].filter(([, one]) => one.version === version);
    return [
      ...gone.map(([key, { uid }]) => `${version} gone ${key} ${uid}`),
      ...written.map(([key, { uid }]) => `${version} ${before.has(key) ? 'changed' : 'new'} ${key} ${uid}`),
    ];
  });
}

const find = (played: Played, base: bigint, shared = createSharedSearch()) =>
  incarnationsBetween(played.past, { base, end: played.end, before: played.at(base) }, shared);

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.constant<Write>('elsewhere'),
  fc.record({
    key: fc.constantFrom('shop/a', 'shop/b', 'other/a'),
    does: fc.constantFrom<'write' | 'delete'>('write', 'write', 'delete'),
  }),
);

test('the versions equal the events of a watch, also when they are read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 60 }), fc.nat({ max: 60 }), async (writes, from) => {
      const played = play(writes);
      const base = BigInt(Math.min(from, writes.length));
      const shared = createSharedSearch();
      for (const found of [await find(played, base, shared), await find(played, base, shared)]) {
        expect(shown(found.incarnations)).toEqual(wanted(played, base));
        expect([found.step, found.unexplained]).toEqual([1n, 0]);
        expect(found.after).toEqual(played.at(played.end));
      }
    }),
    { numRuns: 500 },
  );
});

test('a short-lived flag is found in a busy cluster if it exists for longer than a step, which is reported', async () => {
  const writes: Write[] = Array.from({ length: 190_000 }, () => 'elsewhere');
  writes[4_000] = { key: 'shop/seen', does: 'write' };
  writes[4_021] = { key: 'shop/seen', does: 'delete' };
  writes[9_000] = { key: 'shop/missed', does: 'write' };
  writes[9_001] = { key: 'shop/missed', does: 'delete' };
  const played = play(writes);
  const { incarnations, step, unexplained } = await find(played, 0n);
  expect(incarnations.map(({ key }) => key)).toContain('shop/seen');
  expect([step, unexplained]).toEqual([20n, 0]);
  expect(played.reads()).toBeLessThan(10_100);
});

test('an unchanged object costs no read of its own', async () => {
  const many: Write[] = Array.from({ length: 300 }, (_, index) => ({ key: `shop/flag-${index}`, does: 'write' }));
  const played = play([...many, 'elsewhere', { key: 'shop/flag-7', does: 'write' }, 'elsewhere']);
  const { incarnations } = await find(played, 300n);
  expect(shown(incarnations)).toEqual(['302 changed shop/flag-7 uid-8']);
  expect(played.reads()).toBeLessThan(6);
});

test('two kinds that are searched at the same time skip the writes of each other, and miss nothing', async () => {
  const writes = fc.array(fc.tuple(fc.constantFrom('a', 'b'), write), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(writes, fc.nat({ max: 60 }), async (both, seen) => {
      const [a, b] = ['a', 'b'].map((kind) =>
        play(
          both.map(([of, one]) => (of === kind ? one : 'elsewhere')),
          `${kind}/`,
        ),
      ) as [Played, Played];
      const shared = createSharedSearch();
      // The watch of one kind has delivered its changes up to some version.
      const changes = wanted(b, 0n).map((event) => BigInt(event.split(' ')[0] ?? ''));
      shared.remember('b/', changes.slice(0, seen));
      const found = await Promise.all([find(a, 0n, shared), find(b, 0n, shared)]);
      expect(found.map(({ incarnations }) => shown(incarnations))).toEqual([wanted(a, 0n), wanted(b, 0n)]);
    }),
    { numRuns: 500 },
  );
});

test('known writes of other kinds cost no read each', async () => {
  const writes = Array.from({ length: 9_000 }, (): Write => 'elsewhere');
  writes[4_001] = { key: 'shop/seen', does: 'write' };
  writes[4_002] = { key: 'shop/seen', does: 'delete' };
  const played = play(writes);
  const shared = createSharedSearch();
  shared.remember(
    'projects/',
    writes.flatMap((one, index) => (one === 'elsewhere' ? [BigInt(index + 1)] : [])),
  );
  const { incarnations } = await find(played, 0n, shared);
  expect(shown(incarnations)).toEqual(['4002 new shop/seen uid-4002', '4003 gone shop/seen uid-4002']);
  expect(played.reads()).toBeLessThan(30);
});

test('an object that existed for a step is found although most versions are known writes', async () => {
  const writes = Array.from({ length: 60_000 }, (): Write => 'elsewhere');
  const known = writes.map((_, index) => BigInt(index + 1)).filter((version) => version % 4n !== 0n);
  for (let first = 99; first < 50_000; first += 1_000) {
    writes[first] = { key: `shop/${first}`, does: 'write' };
    writes[first + 8] = { key: `shop/${first}`, does: 'delete' };
  }
  const shared = createSharedSearch();
  shared.remember('projects/', known);
  const { incarnations, step } = await find(play(writes), 0n, shared);
  expect(step).toBeLessThanOrEqual(8n);
  expect(incarnations).toHaveLength(50);
});
