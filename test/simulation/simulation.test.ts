/** 1,000 simulated worlds, each with its own order of events and faults. */
import { availableParallelism } from 'node:os';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { runProgram } from '../support/control-plane/run-program.ts';

const SEEDS = 1_000;
const PROCESSES = Math.min(2, availableParallelism());

test('in 1,000 worlds, everything is right in the end', async () => {
  const count = SEEDS / PROCESSES;
  const results = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      runProgram(execPath, ['test/simulation/main.ts', '--first', `${1 + index * count}`, '--count', `${count}`]),
    ),
  );
  for (const { code, stdout, stderr } of results) expect(code, stdout.slice(-20_000) + stderr).toBe(0);
}, 600_000);
