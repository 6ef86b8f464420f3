/** Reports the progress of a slow step. */

export type Say = (line: string) => void;

/** Writes a line to a stream that does not mix with the results of a test run. */
export const sayOnStderr: Say = (line) => {
  process.stderr.write(`control plane: ${line}\n`);
};

export interface SlowStep {
  readonly say: Say;
  readonly what: string;
  readonly everyMs?: number;
}

/** Does the work, and reports every few seconds that it still runs. */
export async function narrate<T>({ say, what, everyMs = 5_000 }: SlowStep, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  say(`${what} …`);
  const ticker = setInterval(() => say(`${what}: ${elapsed()} so far`), everyMs);
  try {
    const result = await work();
    say(`${what}: done after ${elapsed()}`);
    return result;
  } finally {
    clearInterval(ticker);
  }
}
