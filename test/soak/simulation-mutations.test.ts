/** Known defects, each of which the simulation finds. */
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { runProgram } from '../../scripts/tools/run-program.ts';

test('each known defect makes one of the seeds of `make test` fail', async () => {
  const { code, stdout } = await runProgram(execPath, ['test/simulation/try-mutations.ts']);
  expect(code, stdout).toBe(0);
});
