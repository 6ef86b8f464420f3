/** The process of the command line. */
import '../src/app/no-fast-api-calls.ts';
import { basename } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import manifest from '../package.json' with { type: 'json' };
import { runCommand } from './run-command.ts';
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

await runCommand(terminal, argv.slice(2), basename(argv[1] ?? ''));
