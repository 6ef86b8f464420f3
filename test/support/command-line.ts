/** The command line: the built program in a process of its own as users run it, or its sources in this process. */
import { dirname, join } from 'node:path';
import { runCommand } from '../../cli/run-command.ts';
import { printable, silentTerminal, type Terminal } from '../../cli/terminal.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Finished, type RunOptions, runProgram } from '../../scripts/tools/run-program.ts';

/** The file that Node.js runs. It is the bundle, because the sources would work without being bundled. */
export const PROGRAM = join(dirname(builtProgram()), 'cli.js');

function builtProgram(): string {
  const built = process.env['VEXIL_TEST_PROGRAM'];
  if (built === undefined) throw new Error('the setup of these tests has not built the program');
  return built;
}

/** Runs `vexil` with these arguments in a process of its own, without colours. */
export function vexilProcess(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runProgram(process.execPath, [PROGRAM, ...args], options);
}

const ROOT = process.cwd();
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the sources of `vexil` with these arguments in this process, which takes a tenth of the cost of a process. One
 * command runs after the other, because each has its own folder and environment.
 */
export function vexil(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const result = last.then(() => runHere(args, options));
  last = result.catch(() => undefined);
  return result;
}

async function runHere(args: readonly string[], { input = '', cwd = ROOT, environment = {} }: RunOptions) {
  const variables = { ...process.env };
  // The library of the command line reads variables of options here.
  Object.assign(process.env, environment);
  process.chdir(cwd);
  const finished = { code: 0, stdout: '', stderr: '' };
  const terminal: Terminal = {
    ...silentTerminal,
    version: manifest.version,
    now: Date.now,
    environment: { ...process.env },
    standardInput: async () => input,
    write: (output) => {
      finished.stdout += output;
    },
    writeError: (output) => {
      finished.stderr += printable(output);
    },
    exit: (status) => {
      finished.code = status;
    },
  };
  try {
    await runCommand(terminal, args);
    return finished;
  } finally {
    process.chdir(ROOT);
    for (const name of Object.keys(environment)) {
      const value = variables[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
