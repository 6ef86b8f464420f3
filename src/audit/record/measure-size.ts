/** Measures the size of the archive periodically, because a metrics scrape must not wait for a database. */
import { type Clock, pause } from '../../model/clock.ts';
import type { Archive, ArchiveSize } from '../archive/archive.ts';

export interface SizeParts {
  readonly archive: Pick<Archive, 'size'>;
  readonly clock: Clock;
  readonly onSize: (size: ArchiveSize | undefined) => void;
}

const MEASURE_EVERY_MS = 60_000;

/** Measures until the signal aborts. `onSize` receives undefined while the archive does not answer. */
export async function measureSize({ archive, clock, onSize }: SizeParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    onSize(await archive.size().catch(() => undefined));
    await pause(clock, MEASURE_EVERY_MS, signal);
  }
  onSize(undefined);
}
