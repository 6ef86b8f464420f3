/** The process of the edge: arguments, environment, signals, exit code. */
import './catch-signals.ts';
import process from 'node:process';
import { CommanderError } from 'commander';
import { PROGRAM } from './app/program.ts';
import { edgeCommand } from './edge/command.ts';
import { runEdge } from './edge/run-edge.ts';
import { isKnownError } from './errors.ts';

const { version, revision } = PROGRAM;

/** Unleash Edge has commands: `unleash-edge edge --upstream-url …`. */
const given = process.argv.slice(2);
const options = given[0] === 'edge' ? given.slice(1) : given;

try {
  await edgeCommand({
    environment: process.env,
    run: (settings) => runEdge(settings, { version, revision, host: process }),
  })
    .name('vexil-edge')
    .version(`${PROGRAM.name} ${version} (revision ${revision})`)
    .exitOverride()
    .parseAsync(options, { from: 'user' });
} catch (error) {
  process.exitCode = statusOf(error);
}

/** Prints the error unless it was printed already. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (!isKnownError(error) && syscall === undefined) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`vexil-edge cannot start: ${reason}${code && syscall === 'listen' ? ': set --port' : ''}\n`);
  return 2;
}
