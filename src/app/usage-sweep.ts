/** Enqueues flags whose condition Usage does not match their use, at a bounded rate. */
import type { FurtherCondition } from '../domain/judgement/findings.ts';
import { isUsageConditionDue } from '../domain/usage/usage-condition.ts';
import type { Enqueueable } from '../kinds/enqueue.ts';
import { type Clock, pause } from '../model/clock.ts';
import { keyOf } from '../model/object.ts';
import { nextTurn } from '../runtime/turns.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';

/** Each flag is a write of a status, and all flags may be affected at once. */
const FLAGS_PER_SECOND = 10;

export interface UsageSweepParts {
  readonly flags: { all(): Iterable<FeatureFlag> };
  readonly queue: Pick<Enqueueable, 'add'>;
  readonly usageConditions: (flag: FeatureFlag) => readonly FurtherCondition[];
  readonly clock: Clock;
  /** The time between two sweeps. */
  readonly everyMs: number;
}

export async function sweepUsage(parts: UsageSweepParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sweepOnce(parts, signal);
    await pause(parts.clock, parts.everyMs, signal);
  }
}

async function sweepOnce(
  { flags, queue, usageConditions, clock }: UsageSweepParts,
  signal: AbortSignal,
): Promise<void> {
  let enqueued = 0;
  for (const flag of flags.all()) {
    const turn = nextTurn();
    if (turn !== undefined) await turn;
    if (signal.aborted) return;
    if (!isUsageConditionDue(flag, usageConditions(flag))) continue;
    queue.add(keyOf(flag.metadata), { priority: 'low', reason: 'usage' });
    enqueued += 1;
    if (enqueued % FLAGS_PER_SECOND === 0) await pause(clock, 1000, signal);
  }
}
