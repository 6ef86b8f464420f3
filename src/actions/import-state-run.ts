/** Runs the writes of an import with bounded concurrency, and logs the progress. */
import { isKnownError, type KnownError, Refusal, reworded } from '../errors.ts';
import { runBounded } from '../runtime/run-bounded.ts';
import { isTransient, type RefusedWrite } from './import-state-refusals.ts';
import type { ImportStage, StateWrite } from './import-state-writes.ts';
import type { Services } from './services.ts';

const CONCURRENCY = 16;
/** The number of refusals that is enough to start fixing a document. */
const MAX_REFUSALS = 20;
/** A dry run reports more conflicts. */
const MAX_CONFLICTS = 1000;
const PROGRESS_INTERVAL_MS = 5_000;

export interface ImportProgress {
  readonly phase: 'checking' | 'writing';
  /** The number of finished writes or dry runs. */
  readonly done: number;
  readonly writes: number;
}

interface Parts extends Pick<Services, 'logger' | 'now' | 'ending'> {
  readonly onProgress: (progress: ImportProgress) => void;
}

/** Runs all writes as dry runs, and returns the refusals. */
export async function simulate(
  stages: readonly ImportStage[],
  parts: Parts,
  { untilEnd }: { readonly untilEnd: boolean },
): Promise<readonly RefusedWrite[]> {
  const refusals: RefusedWrite[] = [];
  const progress = startProgress(stages, 'checking', parts);
  for (const stage of stages) {
    const isEnough = () => refusals.length >= (untilEnd ? MAX_CONFLICTS : MAX_REFUSALS);
    await runBounded(stage, { concurrency: CONCURRENCY, goOn: () => !isEnough() }, async (write) => {
      refuseWhileStopping(parts);
      await write.run({ dryRun: true }).catch((error: unknown) => {
        if (isTransient(error)) throw error;
        refusals.push({ write, error: error as KnownError });
      });
      progress.step();
    });
    // Later stages would be refused because objects of this one are missing.
    if (refusals.length > 0 && !untilEnd) break;
  }
  return refusals;
}

/** Runs all writes. Writes before a failure stay, and the same import again completes them. */
export async function execute(stages: readonly ImportStage[], parts: Parts): Promise<void> {
  const progress = startProgress(stages, 'writing', parts);
  const run = async (write: StateWrite) => {
    try {
      refuseWhileStopping(parts);
      await write.run({ dryRun: false });
      progress.step();
    } catch (error) {
      throw incomplete(error, write, progress.done());
    }
  };
  for (const stage of stages) await runBounded(stage, { concurrency: CONCURRENCY, goOn: () => true }, run);
}

/** An import may stop between any two writes. */
function refuseWhileStopping({ ending }: Pick<Parts, 'ending'>): void {
  if (ending.aborted) throw new Refusal('unavailable', 'This replica is stopping.');
}

function incomplete(error: unknown, { what }: StateWrite, done: string): unknown {
  if (!isKnownError(error)) return error;
  const message = `The import stopped at ${what}, after ${done} writes: ${error.message} Send the same request again to complete it.`;
  return reworded(error, message, error.details);
}

function startProgress(
  stages: readonly ImportStage[],
  phase: ImportProgress['phase'],
  { logger, now, onProgress }: Omit<Parts, 'ending'>,
) {
  const writes = stages.reduce((sum, stage) => sum + stage.length, 0);
  let done = 0;
  let loggedAt = now();
  onProgress({ phase, done, writes });
  return {
    done: () => `${done} of ${writes}`,
    step(): void {
      done += 1;
      onProgress({ phase, done, writes });
      if (now() - loggedAt < PROGRESS_INTERVAL_MS) return;
      loggedAt = now();
      logger.info({ phase, done, writes }, 'state import: in progress');
    },
  };
}
