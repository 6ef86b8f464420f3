/** Hundreds of generated requests, made from the API document that is served. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFuzzer, type Fuzzer, idsIn } from '../fuzz/fuzz.ts';
import type { Operation } from '../fuzz/operations.ts';
import { sharedCluster } from '../support/cluster.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import { readMetric } from '../support/read-metric.ts';

/**
 * `FUZZ_SEED=7` begins with another seed, `FUZZ_PATH=…` with its `FUZZ_FOCUS` repeats a finding of that seed,
 * `FUZZ_CASES=50000` runs longer.
 */
const firstSeed = Number(process.env['FUZZ_SEED'] ?? 1);
const path = process.env['FUZZ_PATH'];
const focus = idsIn(process.env['FUZZ_FOCUS']);
const CASES = path === undefined ? Number(process.env['FUZZ_CASES'] ?? 200) : 1;

/**
 * Fewer requests do not reach every operation. `make soak` sends this many, and up to as many again for those that are
 * not reached.
 */
const reachesAll = CASES >= 5_000;

const MAX_GROWTH_BYTES = 50 * 2 ** 20;

let operator: Operator;
let fuzzer: Fuzzer;
let heapBefore: number;
const membersBefore = membersOfEverything();

beforeAll(async () => {
  const cluster = sharedCluster();
  const [home, other] = [await cluster.freshNamespace('fuzz'), await cluster.freshNamespace('fuzz-other')];
  operator = await startOperator(cluster, home, { watched: [other] });
  fuzzer = await createFuzzer({ ground: { cluster, home, other }, url: operator.url });
});
afterAll(async () => {
  fuzzer?.close();
  await operator?.stop();
});

/** Only users comment, and without authentication the caller is no user. */
const NEEDS_A_PERSON = 'postProjectChangeRequestsOfIdComments';

/**
 * Whether the operation can refuse more than a path that cannot be decoded. One without parameters can answer 404 only
 * about the environment of the caller, which exists.
 */
function isRefused({ statuses, parameters, body }: Operation): boolean {
  const hasInput = body !== undefined || parameters.some((one) => one.in === 'query');
  return (
    (statuses.includes(400) && hasInput) || (statuses.includes(404) && parameters.some((one) => one.in === 'path'))
  );
}
/** The operations that have not succeeded yet, and those that have not been refused although they can be. */
function unreached() {
  const { operations, tally } = fuzzer;
  const without = (some: readonly Operation[], hundreds: number) =>
    some.filter(({ id }) => tally.of(id, hundreds) === 0).map(({ id }) => id);
  const forAnybody = operations.filter(({ id }) => id !== NEEDS_A_PERSON);
  return { idle: without(forAnybody, 2), granted: without(operations.filter(isRefused), 4) };
}
const reachesEach = () => Object.values(unreached()).every((some) => some.length === 0);

test(`${CASES} requests: each is answered as the document says, and has the effect that its answer says`, {
  timeout: 1_800_000,
}, async () => {
  const isDone = () => fuzzer.tally.total >= (reachesAll && !reachesEach() ? 2 * CASES : CASES);
  for (let seed = firstSeed; !isDone(); seed += 1) {
    const left = fuzzer.tally.total < CASES ? focus : Object.values(unreached()).flat();
    const found = await fuzzer.round({ seed, path, focus: left });
    if (found !== undefined) expect.fail(found);
    heapBefore ??= heapBytes();
  }
  process.stdout.write(`${fuzzer.tally.table()}\nfuzz: ${fuzzer.tally.total} requests, FUZZ_SEED=${firstSeed}\n`);
});

describe.skipIf(path !== undefined)('after all of that', () => {
  if (reachesAll) {
    test('each operation has succeeded, and has been refused if it can be', () => {
      expect(unreached()).toEqual({ idle: [], granted: [] });
    });
  }

  test('the operator is ready, and has not logged a failure', async () => {
    expect((await fetch(`${operator.opsUrl}/readyz`)).status).toBe(200);
    expect(operator.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  test('no stream stays open', () =>
    waitUntil({ what: 'every stream is closed', everyMs: 20 }, async () => {
      const series = ['vexil_sdk_streams', 'vexil_change_streams'];
      const open = await Promise.all(series.map((one) => readMetric(operator.opsUrl, one)));
      return open.every((count) => count === 0);
    }));

  test('no prototype has got a new member', () => {
    expect(membersOfEverything()).toEqual(membersBefore);
  });

  test('sent requests are not kept in memory', () => {
    expect(heapBytes() - heapBefore).toBeLessThan(MAX_GROWTH_BYTES);
  });
});

/** The members of the prototypes of objects, lists, functions and texts, with the members of each function. */
function membersOfEverything(): unknown {
  return [Object, Array, Function, String].map(({ prototype }) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, { value }]) => {
      return [name, typeof value === 'function' ? Reflect.ownKeys(value) : []];
    }),
  );
}

/** The bytes in use after a garbage collection. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
