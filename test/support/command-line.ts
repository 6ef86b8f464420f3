/** The command line as users run it: the built program in a process of its own. */
import { dirname, join } from 'node:path';
import { type Finished, type RunOptions, runProgram } from './control-plane/run-program.ts';

/** The file that Node.js runs. It is the bundle, because the sources would work without being bundled. */
export const PROGRAM = join(dirname(builtProgram()), 'cli.js');

function builtProgram(): string {
  const built = process.env['VEXIL_TEST_PROGRAM'];
  if (built === undefined) throw new Error('the setup of these tests has not built the program');
  return built;
}

/** Runs `vexil` with these arguments, without colours. */
export function vexil(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runProgram(process.execPath, [PROGRAM, ...args], options);
}
