/**
 * Runs a benchmark as a program: reads its options or prints the usage, and undoes everything at the end, also after
 * Ctrl-C.
 */

export type Undo = () => Promise<void> | void;

export interface BenchProgram<Options> {
  readonly usage: string;
  /** Reads the command line. Throws if it is wrong. */
  readonly readOptions: () => Options;
  /** Runs the benchmark. `undoLater` takes the steps to run at the end, in reverse order. */
  readonly run: (options: Options, undoLater: (undo: Undo) => void) => Promise<void>;
}

export async function runBench<Options>({ usage, readOptions, run }: BenchProgram<Options>): Promise<void> {
  const undoing: Undo[] = [];
  let interrupted = false;

  async function undoAll(): Promise<void> {
    for (let undo = undoing.pop(); undo !== undefined; undo = undoing.pop()) await undo();
  }

  function interrupt(): void {
    if (interrupted) process.exit(130);
    interrupted = true;
    void undoAll().finally(() => process.exit(130));
  }

  const options = optionsOrUsage(readOptions, usage);
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    await run(options, (undo) => void undoing.push(undo));
  } catch (error) {
    // A benchmark that the user has ended reports no failure.
    if (!interrupted) throw error;
  } finally {
    if (!interrupted) await undoAll();
  }
}

function optionsOrUsage<Options>(readOptions: () => Options, usage: string): Options {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}\n`);
    return process.exit(2);
  }
}
