/** Runs the programs that make an image. */
import { type Finished, type RunOptions, runProgram } from '../tools/run-program.ts';

/** Returns the standard output. Throws with the output of errors if the program is missing or fails. */
export async function runQuietly(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options).catch((cause: Error): Finished => {
    throw new Error(`${program} cannot be started: install it (${cause.message})`, { cause });
  });
  if (code !== 0) throw new Error(`${program} ${args[0] ?? ''} failed with ${code}:\n${stderr || stdout}`);
  return stdout;
}
