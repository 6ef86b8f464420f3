/** Simulated worlds, each with its own order of events and faults. */
import { availableParallelism } from 'node:os';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';

/** A world takes a fifth of a second of processor time. `make simulate` runs more; these find each known defect. */
const SEEDS = 320;
const PROCESSES = Math.min(2, availableParallelism());
/** The worlds take one minute, on a machine that others use ten times as long. Nothing in them depends on it. */
const LIMIT_MS = 1_800_000;

test(`in ${SEEDS} worlds, everything is right in the end`, { timeout: LIMIT_MS }, async () => {
  const count = SEEDS / PROCESSES;
  const results = await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) =>
      runProgram(execPath, ['test/simulation/main.ts', '--first', `${1 + index * count}`, '--count', `${count}`]),
    ),
  );
  for (const { code, stdout, stderr } of results) expect(code, stdout.slice(-20_000) + stderr).toBe(0);
});
