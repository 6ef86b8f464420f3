/** The demo: one command from a fresh clone to an operator to try. */
import process from 'node:process';
import { isKnownError } from '../../src/errors.ts';
import { detailMessage } from '../../src/model/invalid-input.ts';
import { readSettings } from './settings.ts';
import { type Demo, startDemo } from './start-demo.ts';
import { summaryOf } from './summary.ts';

/** npm forwards the signal that the terminal has already sent. A user cannot press Ctrl-C twice within this time. */
const SAME_SIGNAL_MS = 300;

const INTERRUPTED = 130;

const say = (line: string) => void process.stderr.write(`${line}\n`);

function complain(error: unknown): void {
  const lines = isKnownError(error) && error.details.length > 0 ? error.details.map(detailMessage) : [];
  say(lines.join('\n') || (error instanceof Error ? error.message : String(error)));
}

/**
 * Returns an AbortSignal that the first signal to the process aborts. The second one ends the process at once, and
 * everything that it has started ends with it.
 */
function endingBySignal(): AbortSignal {
  const ending = new AbortController();
  let askedAt = Number.NaN;
  const onSignal = () => {
    if (!ending.signal.aborted) {
      askedAt = performance.now();
      say('\nstopping (Ctrl-C again: at once)');
      ending.abort(new Error('The demo is asked to stop'));
    } else if (performance.now() - askedAt > SAME_SIGNAL_MS) {
      process.exit(INTERRUPTED);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  return ending.signal;
}

/** Resolves when the demo is stopped. Throws if a program of the demo has ended by itself. */
async function runUntilAsked({ failure }: Demo, signal: AbortSignal): Promise<void> {
  const asked = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => asked.resolve());
  if (signal.aborted) return;
  await Promise.race([asked.promise, failure]);
}

async function main(signal: AbortSignal): Promise<number> {
  try {
    const settings = await readSettings(process.env);
    const demo = await startDemo({ settings, say, signal });
    process.stdout.write(summaryOf(demo, settings));
    try {
      await runUntilAsked(demo, signal);
    } finally {
      await demo.stop();
    }
    say('stopped, nothing is left behind');
    return 0;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    complain(error);
    return 1;
  }
}

// A download that is still under way is not needed any more.
process.exit(await main(endingBySignal()));
