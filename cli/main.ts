/** The process of the command line. */
import { basename } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { Failure } from './failure.ts';
import { createProgram } from './program.ts';
import { EXIT, printable, type Terminal } from './terminal.ts';

const { argv, env, stderr, stdin, stdout } = process;

// A reader that ends early, such as `head`, is not an error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

const interrupt = () => process.exit(EXIT.interrupted);
process.once('SIGINT', interrupt);

/** Asks on standard error, so that the question is not part of the result. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: stdin, output: stderr });
  lines.once('SIGINT', () => process.exit(EXIT.interrupted));
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

const terminal: Terminal = {
  version: manifest.version,
  isColoured: stdout.isTTY === true && !env['NO_COLOR'],
  now: Date.now,
  environment: env,
  standardInput: () => text(stdin),
  ask: stdin.isTTY === true ? ask : undefined,
  write: (output) => void stdout.write(output),
  writeError: (output) => void stderr.write(printable(output)),
  exit(status) {
    process.exitCode = status;
  },
  onStop(listener) {
    process.off('SIGINT', interrupt);
    process.on('SIGTERM', listener).on('SIGINT', listener);
  },
  end: (status) => process.exit(status),
};

try {
  await createProgram(terminal, basename(argv[1] ?? '')).parseAsync(argv);
} catch (error) {
  process.exitCode = statusOf(error);
}

/** Prints the error unless it was printed already. Returns the exit status. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Failure) {
    stderr.write(`vexil: ${printable(error.message)}\n`);
    return error.status;
  }
  stderr.write(`vexil: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.software;
}
