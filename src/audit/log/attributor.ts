/** Gives entries the authors that the audit log of the API server names, on the leader. */
import { isUnattributed } from '../../domain/history/entry.ts';
import { type Clock, pause } from '../../model/clock.ts';
import type { LogStore, NewWitness, WitnessedEntry } from '../archive/witnesses/logged-writes.ts';
import type { Notify } from '../record/notice.ts';
import { createRest } from '../record/rest.ts';
import { type Attempts, retryForever } from '../record/retry-forever.ts';
import { type Attribution, witnessesOf } from './attribute.ts';

export interface AttributorParts {
  readonly store: LogStore;
  readonly people: Attribution['people'];
  /** The name of the Kubernetes user that the operator is. */
  readonly whoAmI: (signal: AbortSignal) => Promise<string>;
  readonly clock: Clock;
  readonly backoff: (failures: number) => number;
  /** Ms since 1970. */
  readonly now: () => number;
  /** The log is late if it has nothing about an entry after this time. */
  readonly lateMs: number;
  /** Called after entries got their authors. */
  readonly onNamed: () => void;
  readonly onNotice: Notify;
}

export interface Attributor {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** There may be writes or entries to attribute. */
  wake(): void;
  /** Entries of this term that the log is late for; undefined: not leading, or not counted yet. */
  readonly late: number | undefined;
}

const WRITES_PER_ROUND = 200;
/** Another replica may have received a part of the log. */
const LOOK_EVERY_MS = 2_000;
/** Collects what comes together. */
const GATHER_MS = 100;
const UPKEEP_EVERY_MS = 30_000;
/** How long a write waits for its entry. */
const WAIT_FOR_ENTRY_MS = 10 * 60_000;
/** Entries that are older do not count as late: an API server that dropped a batch must not alert for ever. */
const LATE_WITHIN_MS = 60 * 60_000;

export function createAttributor(parts: AttributorParts): Attributor {
  const { store, clock, now, onNotice } = parts;
  let late: number | undefined;
  const rest = createRest(clock);

  async function restAndGather(signal: AbortSignal): Promise<void> {
    await rest.upTo(LOOK_EVERY_MS, signal);
    rest.begin();
    await pause(clock, GATHER_MS, signal);
  }

  async function keepUp(startedAt: number): Promise<void> {
    const writes = await store.forget(now() - WAIT_FOR_ENTRY_MS);
    if (writes > 0) onNotice({ type: 'unmatched', writes });
    late = await store.unconfirmed(Math.max(startedAt, now() - LATE_WITHIN_MS), now() - parts.lateMs);
  }

  const { backoff } = parts;
  const attempts = attemptsOf(onNotice);

  async function attribute(signal: AbortSignal): Promise<void> {
    const retried = <T>(work: () => Promise<T>) => retryForever({ clock, backoff, signal }, attempts, work);
    const self = await retried(() => parts.whoAmI(signal));
    const startedAt = now();
    let keptAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const writes = await retried(() => attributeSome(parts, self));
      const time = clock.now();
      if (time - keptAt >= UPKEEP_EVERY_MS) {
        keptAt = time;
        await retried(() => keepUp(startedAt));
      }
      if (writes < WRITES_PER_ROUND) await restAndGather(signal);
    }
  }

  return {
    async run(signal) {
      await attribute(signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
      late = undefined;
    },
    wake: rest.wake,
    get late() {
      return late;
    },
  };
}

function attemptsOf(onNotice: Notify): Attempts {
  return {
    isTemporary: () => true,
    onFailure: (error) => onNotice({ type: 'log-failed', error }),
    onRecovery: () => onNotice({ type: 'log-recovered' }),
  };
}

/** Returns the number of writes that are done with. */
async function attributeSome({ store, people, onNamed, onNotice }: AttributorParts, self: string): Promise<number> {
  const found = await store.witnessed(WRITES_PER_ROUND);
  if (found.length === 0) return 0;
  const witnesses = witnessesOf(found, { people, self });
  const settled = [...new Set(found.map(({ write }) => write.id))];
  await store.settle({ witnesses, settled });
  const unmatched = countUnmatched(found, witnesses);
  if (unmatched > 0) onNotice({ type: 'unmatched', writes: unmatched });
  report(witnesses, onNotice);
  if (witnesses.some(({ entry }) => isUnattributed(entry))) onNamed();
  return settled.length;
}

/** Writes that caused none of the entries of their version. */
function countUnmatched(found: readonly WitnessedEntry[], witnesses: readonly NewWitness[]): number {
  const used = new Set(witnesses.map(({ logged }) => logged));
  const isByPlanAlone = new Set(found.filter(({ entry }) => entry.channel === 'time').map(({ write }) => write.id));
  return new Set(found.map(({ write }) => write.id).filter((id) => !used.has(id) && !isByPlanAlone.has(id))).size;
}

function report(witnesses: readonly NewWitness[], onNotice: Notify): void {
  const named = witnesses.filter(({ entry }) => isUnattributed(entry)).length;
  const confirmed = witnesses.filter(({ confirms }) => confirms).length - named;
  onNotice({ type: 'attributed', named, confirmed });
  for (const { entry, confirms, createdBy } of witnesses) {
    if (!confirms) onNotice({ type: 'contradicted', entry: entry.id, says: entry.createdBy, logged: createdBy });
  }
}
