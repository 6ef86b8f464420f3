/** Links what the leader has recorded into the chain, in small batches. */
import { isRefusal } from '../../errors.ts';
import { type Clock, pause } from '../../model/clock.ts';
import type { Archive } from '../archive/archive.ts';
import type { Notify } from './notice.ts';
import { createRest } from './rest.ts';

export interface LinkerParts {
  readonly archive: Pick<Archive, 'link'>;
  readonly clock: Clock;
  readonly onNotice: Notify;
}

export interface Linker {
  /** Links until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Starts a round soon: something was recorded. */
  wake(): void;
}

/** Changes within this time are linked together. */
const COLLECT_MS = 1_000;
/** Without a wake: an earlier leader may have left something. */
const LOOK_EVERY_MS = 30_000;
/** Between two batches, so that other writers get the archive. */
const BATCH_PAUSE_MS = 20;
/** Long work, such as the archive of an earlier version, is reported at each multiple of this. */
const REPORT_EVERY = 10_000;

export function createLinker({ archive, clock, onNotice }: LinkerParts): Linker {
  const rest = createRest(clock);
  let isFailing = false;

  async function linkAll(signal: AbortSignal): Promise<void> {
    let links = 0;
    for (;;) {
      const linked = await archive.link();
      links += linked.links;
      const isLong = links >= REPORT_EVERY;
      if (isLong && Math.floor(links / REPORT_EVERY) > Math.floor((links - linked.links) / REPORT_EVERY)) {
        onNotice({ type: 'linked', links });
      }
      if (!linked.isMore || signal.aborted) return;
      await pause(clock, BATCH_PAUSE_MS, signal);
    }
  }

  async function restAndCollect(signal: AbortSignal): Promise<void> {
    await rest.upTo(LOOK_EVERY_MS, signal);
    if (!signal.aborted) await pause(clock, COLLECT_MS, signal);
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        rest.begin();
        try {
          await linkAll(signal);
          isFailing = false;
        } catch (error) {
          // Another replica adds links: this one goes on from where that one was, at its next look.
          if (!isFailing && !isRefusal(error, 'conflict') && !signal.aborted)
            onNotice({ type: 'linking-failed', error });
          isFailing = !isRefusal(error, 'conflict');
        }
        await restAndCollect(signal);
      }
    },
    wake: rest.wake,
  };
}
