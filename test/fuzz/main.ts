/** Sends generated requests until the time is over: `make fuzz MINUTES=10`. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createFuzzer, type Fuzzer, idsIn } from './fuzz.ts';
import { type FuzzedOperator, startFuzzedOperator } from './fuzzed-operator.ts';

const USAGE = `Usage: node test/fuzz/main.ts [--minutes N] [--seed N] [--path PATH] [--focus IDS]
  --minutes  how long, 10 unless said
  --seed     of the first round, one that the clock says unless said
  --path     repeats what was found in the round of that seed, and nothing else
  --focus    ids of operations that most requests are for, with commas between`;

const INTERRUPTED = 130;

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly path: string | undefined;
  readonly focus: readonly string[];
}

function readOptions(): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { minutes: text, seed: text, path: text, focus: text } });
  const { minutes = '10', seed = Date.now() % 1_000_000_000, path, focus } = values;
  const options = { minutes: Number(minutes), seed: Number(seed), path, focus: idsIn(focus) };
  if (!(options.minutes > 0)) throw new Error(`--minutes must be a number above 0, not ${minutes}`);
  if (!Number.isSafeInteger(options.seed)) throw new Error(`--seed must be a whole number, not ${seed}`);
  return options;
}

function optionsOrUsage(): Options {
  try {
    return readOptions();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    return process.exit(2);
  }
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Returns an AbortSignal that the first signal to the process aborts. The second one ends the process at once, and
 * everything that it has started ends with it.
 */
function endingBySignal(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(INTERRUPTED);
      say('\nstopping after this sequence (Ctrl-C again: at once)');
      ending.abort();
    });
  }
  return ending.signal;
}

/** Runs rounds with growing seeds, and returns the first finding. */
async function fuzz(fuzzer: Fuzzer, operator: FuzzedOperator, options: Options): Promise<string | undefined> {
  const { minutes, seed, path, focus } = options;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  for (let round = seed; seconds() < minutes * 60 && !fuzzer.interrupted; round += 1) {
    const found = (await fuzzer.round({ seed: round, path, focus })) ?? (await operator.complaint());
    const rate = Math.round(fuzzer.tally.total / seconds());
    const heap = Math.round((await operator.heapBytes()) / 2 ** 20);
    say(`seed ${round}: ${fuzzer.tally.total} requests, ${rate} a second, ${heap} MB of heap in the operator`);
    if (found !== undefined) return `In the round of seed ${round}:\n${found}`;
    if (path !== undefined) return undefined;
  }
  return undefined;
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  say('starting a control plane and an operator');
  const operator = await startFuzzedOperator();
  try {
    const fuzzer = await createFuzzer(operator);
    signal.addEventListener('abort', fuzzer.interrupt);
    if (signal.aborted) fuzzer.interrupt();
    const found = await fuzz(fuzzer, operator, options);
    process.stdout.write(`${fuzzer.tally.table()}\n${fuzzer.tally.total} requests\n`);
    process.stdout.write(found === undefined ? 'nothing found\n' : `\nFOUND: ${found}\n`);
    fuzzer.close();
    if (found !== undefined) return 1;
    return signal.aborted ? INTERRUPTED : 0;
  } finally {
    await operator.stop();
  }
}

process.exit(await main(optionsOrUsage(), endingBySignal()));
