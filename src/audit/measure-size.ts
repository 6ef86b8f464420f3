/** Asks the archive for its size now and then, as a metric must not wait for the answer. */
import { type Clock, pause } from '../kube/pause.ts';
import type { Archive, ArchiveSize } from './archive.ts';

export interface SizeParts {
  readonly archive: Pick<Archive, 'size'>;
  readonly clock: Clock;
  readonly onSize: (size: ArchiveSize | undefined) => void;
}

const MEASURE_EVERY_MS = 60_000;

/** Measures until the signal aborts. Undefined: the archive does not answer. */
export async function measureSize({ archive, clock, onSize }: SizeParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    onSize(await archive.size().catch(() => undefined));
    await pause(clock, MEASURE_EVERY_MS, signal);
  }
  onSize(undefined);
}
