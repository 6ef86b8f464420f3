/** A benchmark as a program: options or usage, and everything undone at the end, also after Ctrl-C. */

export type Undo = () => Promise<void> | void;

export interface BenchProgram<Options> {
  readonly usage: string;
  /** Throws what is wrong with the command line. */
  readonly readOptions: () => Options;
  /** Hands over what must be undone at the end, in reverse order. */
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
    // What is ending because someone ended it has nothing to complain about.
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
