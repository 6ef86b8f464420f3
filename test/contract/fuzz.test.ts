/** Thousands of requests that nobody thought of, made from the API document that is served. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFuzzer, type Fuzzer } from '../fuzz/fuzz.ts';
import { sharedCluster } from '../support/cluster.ts';
import { type Operator, startOperator } from '../support/operator.ts';

/** `FUZZ_SEED=7` begins elsewhere, `FUZZ_PATH=…` repeats a finding of that seed, `FUZZ_CASES=50000` goes on for longer. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const path = process.env['FUZZ_PATH'];
const CASES = Number(process.env['FUZZ_CASES'] ?? 10_000);

let operator: Operator;
let fuzzer: Fuzzer;

beforeAll(async () => {
  const cluster = sharedCluster();
  const [home, other] = [await cluster.freshNamespace('fuzz'), await cluster.freshNamespace('fuzz-other')];
  operator = await startOperator(cluster, home, { watched: [other] });
  fuzzer = await createFuzzer({ ground: { cluster, home, other }, url: operator.url });
});
afterAll(async () => {
  fuzzer?.close();
  await operator.stop();
});

test('whatever is sent, the answer is as documented', { timeout: 900_000 }, async () => {
  const startedAt = performance.now();
  for (let round = seed; fuzzer.tally.total < CASES; round += 1) {
    const found = await fuzzer.round({ seed: round, path });
    if (found !== undefined || path !== undefined) expect(found).toBeUndefined();
    if (path !== undefined) return;
  }
  process.stdout.write(
    `${fuzzer.tally.table()}\n${fuzzer.tally.total} in ${Math.round(performance.now() - startedAt)} ms\n`,
  );
});
