/** 1,000 simulated worlds, each with its own order of events and faults. */
import { availableParallelism } from 'node:os';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { runProgram } from '../support/control-plane/run-program.ts';

const SEEDS = 1_000;
const PROCESSES = Math.min(2, availableParallelism());
/** The worlds take two minutes, on a machine that others use ten times as long. Nothing in them depends on it. */
const LIMIT_MS = 1_800_000;

test('in 1,000 worlds, everything is right in the end', { timeout: LIMIT_MS }, async () => {
  const count = SEEDS / PROCESSES;
  const results = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      runProgram(execPath, ['test/simulation/main.ts', '--first', `${1 + index * count}`, '--count', `${count}`]),
    ),
  );
  for (const { code, stdout, stderr } of results) expect(code, stdout.slice(-20_000) + stderr).toBe(0);
});
