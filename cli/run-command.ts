/** Runs one command from its arguments to its exit status. */
import { CommanderError } from 'commander';
import { Failure } from './failure.ts';
import { createProgram } from './program.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** `startedAs` is the name of the file that was started. */
export async function runCommand(terminal: Terminal, args: readonly string[], startedAs?: string): Promise<void> {
  try {
    await createProgram(terminal, startedAs).parseAsync(args, { from: 'user' });
  } catch (error) {
    terminal.exit(statusOf(error, terminal));
  }
}

/** Prints the error unless it was printed already. Returns the exit status. */
function statusOf(error: unknown, { writeError }: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Failure) {
    writeError(`vexil: ${error.message}\n`);
    return error.status;
  }
  writeError(`vexil: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.software;
}
