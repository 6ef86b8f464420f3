/** Measurements of SDKs that poll while flags change. */
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { readMetric } from '../support/read-metric.ts';
import { changeDescription, whileChanging } from './changes.ts';
import { startProgram } from './child-program.ts';
import { SDK_PATH } from './contents.ts';
import type { Polled, Polling } from './pollers.ts';
import { type Bench, bytesOf, type Row } from './rows.ts';
import type { Stage } from './stage.ts';
import { percentile } from './statistics.ts';

const POLL_MS = 1_000;
const CHANGES = 150;
/** The interval does not divide the time between polls, so that the changes have all distances from the next poll. */
const CHANGE_EVERY_MS = 137;
const GIVE_UP_MS = 10_000;
/** The first number of these changes, so that other rows use other numbers. */
const FIRST = 80_000_000;

const SDKS = 200;
const CHANGES_PER_SECOND = 10;
const WATCH_MS = 20_000;

/**
 * Makes changes at the API server until an SDK that polls each second has them. Runs once, for any number of rounds.
 */
export async function pollForChanges({ stage }: Bench): Promise<Row> {
  const startedAt = performance.now();
  const afterMs = await seenByPolls(stage);
  const sample = {
    perSecond: (afterMs.length * 1000) / (performance.now() - startedAt),
    p50Ms: percentile(afterMs, 0.5),
    p99Ms: percentile(afterMs, 0.99),
  };
  return {
    title: 'A change with kubectl until an SDK that polls each second has it',
    unit: 'changes',
    sides: [{ name: 'Vexil', samples: [sample] }],
    // The time of one poll, and a tenth of a second for the write, the watch and the answer.
    aim: { p99MsAtMost: POLL_MS + 100 },
    remarks: [`${CHANGES} changes were made, and all were seen; the write itself is part of the time`],
  };
}

/**
 * Measures how long the event loop of the operator is delayed meanwhile, by its own metrics. Runs once, for any number
 * of rounds.
 */
export async function pollWhileChanging({ stage }: Bench): Promise<Row> {
  const pollers = startProgram<Polling, Polled>('pollers.ts');
  const { port, opsUrl } = stage.operator;
  // Reading the metrics starts a new measurement.
  await readMetric(opsUrl, 'nodejs_eventloop_lag_p99_seconds');
  const polling = {
    port,
    path: SDK_PATH,
    token: stage.tokens.client,
    sdks: SDKS,
    everyMs: POLL_MS,
    durationMs: WATCH_MS,
  };
  const { result, perSecond } = await whileChanging(stage.admin, CHANGES_PER_SECOND, () => pollers.ask(polling));
  const lag = await eventLoopLag(opsUrl);
  await pollers.stop();
  return {
    title: `Delay of the event loop while ${CHANGES_PER_SECOND} flags change and ${SDKS} SDKs poll each second`,
    unit: 'polls',
    sides: [{ name: 'Vexil', samples: [{ perSecond: result.perSecond, ...lag }] }],
    aim: { p99MsAtMost: 50 },
    remarks: [
      'the clock of the delay ticks each 10 ms, which is part of it',
      `${perSecond.toFixed(1)} changes/s were written; ${Math.round(result.unchanged * 100)} % of the polls were answered 304`,
      `a poll took ${result.p50Ms.toFixed(1)} ms (p50) and ${result.p99Ms.toFixed(1)} ms (p99)`,
    ],
  };
}

/** Reads both values at once, because each read starts a new measurement. */
async function eventLoopLag(opsUrl: string): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const ms = (share: string) =>
    1000 * Number(new RegExp(`^nodejs_eventloop_lag_${share}_seconds (.*)$`, 'm').exec(text)?.[1]);
  return { p50Ms: ms('p50'), p99Ms: ms('p99') };
}

/** Returns the ms from sending each change until a poll has it. */
async function seenByPolls(stage: Stage): Promise<number[]> {
  const afterMs: number[] = [];
  const pending = new Map<string, number>();
  const writes: Promise<unknown>[] = [];
  const look = async () => {
    const bytes = await bytesOf(stage, SDK_PATH);
    const now = performance.now();
    for (const [description, sentAt] of pending) {
      if (!bytes.includes(description)) continue;
      afterMs.push(now - sentAt);
      pending.delete(description);
    }
  };
  const change = (number: number) => {
    const { description, written } = changeDescription(stage.admin, FIRST + number);
    pending.set(description, performance.now());
    writes.push(written);
  };
  let changes = 0;
  const changing = setInterval(() => {
    if (changes < CHANGES) change(changes);
    changes += 1;
  }, CHANGE_EVERY_MS);
  let looking: Promise<void> | undefined;
  const polling = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }, POLL_MS);
  try {
    const timeoutMs = CHANGES * CHANGE_EVERY_MS + GIVE_UP_MS;
    await waitUntil({ what: 'every change is seen', timeoutMs }, () => changes >= CHANGES && pending.size === 0);
  } finally {
    clearInterval(changing);
    clearInterval(polling);
  }
  await Promise.all([...writes, looking]);
  return afterMs;
}
