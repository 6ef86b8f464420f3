/**
 * The cache under random interleavings of watch events, own writes and lists, against a server that keeps all versions.
 */
import { expect, test } from 'vitest';
import { createStore, type Store } from '../../../../src/kube/cache/store.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import { seededRandom } from '../../../../src/model/seeded-random.ts';
import { PROBE, type ProbeSpec, type ProbeStatus, rawProbe } from '../../../support/probe.ts';

const NAMES = ['a', 'b', 'c'];

interface Fact {
  readonly type: 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly name: string;
  readonly uid: string;
  /** The last version of a deleted object. */
  readonly last?: number;
}

type Probes = Store<ProbeSpec, ProbeStatus, 'all'>;

/** A server with a history. A watch has reported a part of it, and answers to our own writes are still under way. */
function aWorld(random: () => number, store: Probes) {
  const sink = store.sink('home');
  const history: Fact[] = [];
  const answers: Fact[] = [];
  let recorded = 0;
  let uids = 0;

  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const latest = (name: string, upTo = history.length): Fact | undefined =>
    history.slice(0, upTo).findLast((fact) => fact.name === name);

  function write(): void {
    const name = pick(NAMES) ?? 'a';
    const now = latest(name);
    const exists = now?.type === 'MODIFIED';
    if (!exists) uids += 1;
    const uid = exists ? now.uid : `uid-${uids}`;
    const isDeletion = exists && random() < 0.3;
    const fact: Fact = isDeletion
      ? { type: 'DELETED', version: history.length + 1, name, uid, last: now.version }
      : { type: 'MODIFIED', version: history.length + 1, name, uid };
    history.push(fact);
    if (random() < 0.5) answers.push(fact);
  }

  function answer(): void {
    const index = Math.floor(random() * answers.length);
    for (const fact of answers.splice(index, 1)) {
      if (fact.type === 'MODIFIED') store.put(parseObject(PROBE, rawProbe(fact)));
      else store.drop({ namespace: 'home', name: fact.name }, fact.uid, String(fact.last));
    }
  }

  function report(): void {
    // Sometimes an earlier event is repeated.
    const fact = recorded > 0 && random() < 0.2 ? history[Math.floor(random() * recorded)] : history[recorded++];
    recorded = Math.min(recorded, history.length);
    if (fact?.type === 'MODIFIED') sink.applied(rawProbe(fact));
    if (fact?.type === 'DELETED') sink.deleted(rawProbe(fact));
  }

  function list(): void {
    recorded += Math.floor(random() * (history.length - recorded + 1));
    sink.begin(false);
    for (const name of NAMES) {
      const fact = latest(name, recorded);
      if (fact?.type === 'MODIFIED') sink.listed(rawProbe(fact));
    }
    sink.swap(String(recorded));
  }

  return {
    act(): void {
      const dice = random();
      if (dice < 0.4) write();
      else if (dice < 0.6) answer();
      else if (dice < 0.95) report();
      else list();
    },
    settle(): void {
      while (answers.length > 0) answer();
      while (recorded < history.length) report();
    },
    names: NAMES,
    latest,
  };
}

function shown(store: Probes, name: string): string {
  const object = store.get({ namespace: 'home', name });
  return object ? `${object.metadata.uid}@${object.metadata.resourceVersion}` : '-';
}

test.each(Array.from({ length: 300 }, (_, seed) => seed))(
  'seed %i: no step back, and the final state is right',
  (seed) => {
    const random = seededRandom(seed);
    const store = createStore<ProbeSpec, ProbeStatus, 'all'>({
      kind: PROBE,
      indexes: { all: () => [''] },
      onFault: failOn,
    });
    const world = aWorld(random, store);
    const mirror = new Map<string, string>();
    const newest = new Map<string, number>();
    store.subscribe(({ before, after }) => {
      const { name = '', uid = '' } = (after ?? before)?.metadata ?? {};
      expect(before?.metadata.resourceVersion).toBe(mirror.get(name));
      if (after === undefined) {
        mirror.delete(name);
        newest.set(uid, Number.POSITIVE_INFINITY);
        return;
      }
      const version = Number(after.metadata.resourceVersion);
      // The cache shows only newer versions of an object, and never shows it again after its deletion.
      expect(version).toBeGreaterThan(newest.get(uid) ?? 0);
      newest.set(uid, version);
      mirror.set(name, after.metadata.resourceVersion);
    });
    for (let step = 0; step < 200; step += 1) world.act();
    world.settle();
    for (const name of world.names) {
      const truth = world.latest(name);
      expect(shown(store, name)).toBe(truth?.type === 'MODIFIED' ? `${truth.uid}@${truth.version}` : '-');
    }
    expect(store.by('all', '')).toHaveLength(store.size);
    expect(new Set(store.by('all', ''))).toEqual(new Set(store.all()));
  },
);

function failOn(error: unknown): void {
  throw error;
}
