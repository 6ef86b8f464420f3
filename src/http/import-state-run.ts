/** Runs the writes of an import, some at the same time, and tells how far it is. */
import { AppError, isAppError } from '../errors.ts';
import { isPassing, type Refusal } from './import-state-refusals.ts';
import type { Stage, StateWrite } from './import-state-writes.ts';
import type { Services } from './route.ts';

const AT_ONCE = 16;
/** Enough to begin mending a document with. */
const ENOUGH_REFUSALS = 20;
/** A dry run tells more of what is in the way. */
const MOST_CONFLICTS = 1000;
const TELL_EVERY_MS = 5_000;

type Parts = Pick<Services, 'logger' | 'now' | 'ending'>;

/** Without effect; answers what is refused. */
export async function tryOut(
  stages: readonly Stage[],
  { untilEnd, ...parts }: Parts & { readonly untilEnd: boolean },
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  const progress = startProgress(stages, { ...parts, phase: 'checking' });
  for (const stage of stages) {
    const isEnough = () => refusals.length >= (untilEnd ? MOST_CONFLICTS : ENOUGH_REFUSALS);
    await eachOf(stage, isEnough, async (write) => {
      refuseWhileStopping(parts);
      await write.run({ dryRun: true }).catch((error: unknown) => {
        if (isPassing(error)) throw error;
        refusals.push({ write, error: error as AppError });
      });
      progress.step();
    });
    // What comes after would be refused for what is not there.
    if (refusals.length > 0 && !untilEnd) break;
  }
  return refusals;
}

/** In earnest; what was written before a failure stays, and the same import again does the rest. */
export async function carryOut(stages: readonly Stage[], parts: Parts): Promise<void> {
  const progress = startProgress(stages, { ...parts, phase: 'writing' });
  const run = async (write: StateWrite) => {
    try {
      refuseWhileStopping(parts);
      await write.run({ dryRun: false });
      progress.step();
    } catch (error) {
      throw brokenOff(error, write, progress.done());
    }
  };
  for (const stage of stages) await eachOf(stage, () => false, run);
}

/** Between two writes there is always a good place to stop. */
function refuseWhileStopping({ ending }: Pick<Parts, 'ending'>): void {
  if (ending.aborted) throw new AppError('unavailable', 'This replica is stopping.');
}

function brokenOff(error: unknown, { what }: StateWrite, done: string): unknown {
  if (!isAppError(error)) return error;
  const message = `The import stopped half-way at ${what}, after ${done} writes: ${error.message} Send the same request again: it does the rest.`;
  const { code, details, cause, retryAfterSeconds } = error;
  return new AppError(code, message, {
    details,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Takes up no more after a failure, or once it is enough; throws when none is running any more. */
async function eachOf(stage: Stage, isEnough: () => boolean, run: (write: StateWrite) => Promise<void>): Promise<void> {
  const waiting = stage.values();
  const failures: unknown[] = [];
  const take = () => (failures.length === 0 && !isEnough() ? waiting.next().value : undefined);
  const work = async () => {
    for (let write = take(); write; write = take()) {
      await run(write).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
}

function startProgress(
  stages: readonly Stage[],
  { logger, now, phase }: Pick<Parts, 'logger' | 'now'> & { readonly phase: 'checking' | 'writing' },
) {
  const writes = stages.reduce((sum, stage) => sum + stage.length, 0);
  let done = 0;
  let told = now();
  return {
    done: () => `${done} of ${writes}`,
    step(): void {
      done += 1;
      if (now() - told < TELL_EVERY_MS) return;
      told = now();
      logger.info({ phase, done, writes }, 'a state document is being imported');
    },
  };
}
