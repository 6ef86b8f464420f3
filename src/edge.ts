/** The process of the edge: arguments, environment, signals, exit code. */
import './catch-signals.ts';
import './app/no-fast-api-calls.ts';
import process from 'node:process';
import { CommanderError } from 'commander';
import { PROGRAM } from './app/program.ts';
import { type Checked, checkEdge } from './edge/check.ts';
import { edgeCommand } from './edge/command.ts';
import { probeEdge } from './edge/probe.ts';
import { runEdge } from './edge/run-edge.ts';
import { readEdgeSettings } from './edge/settings.ts';
import { readUnleashArguments } from './edge/unleash-edge-options.ts';
import { isKnownError } from './errors.ts';

const { version, revision } = PROGRAM;
const { env: environment, argv, stderr, stdout } = process;

const host = {
  version,
  environment,
  onStop: (listener: (signal: string) => void) => void process.on('SIGTERM', listener).on('SIGINT', listener),
  exit: (status: number) => process.exit(status),
};

try {
  await edgeCommand({
    start: (chosen) => runEdge(readEdgeSettings(chosen, environment), host),
    check: async (chosen) => print(await checkEdge(readEdgeSettings(chosen, environment), host)),
    probe: async (chosen, probe) => print(await probeEdge(probe, chosen, environment)),
  })
    .name('vexil-edge')
    .version(`vexil-edge ${version} (revision ${revision})`)
    .exitOverride()
    .parseAsync(readUnleashArguments(argv.slice(2)), { from: 'user' });
} catch (error) {
  process.exitCode = statusOf(error);
}

function print({ text, isGood }: Checked): void {
  stdout.write(text);
  process.exitCode = isGood ? 0 : 1;
}

/** Prints the error unless it was printed already. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // The person who starts the edge can mend wrong settings, and files and ports that cannot be used.
  if (!isKnownError(error) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
  stderr.write(`vexil-edge cannot start: ${error instanceof Error ? error.message : error}\n`);
  return 2;
}
