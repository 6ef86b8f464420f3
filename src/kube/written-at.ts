/** When an object was written, as its metadata tells. */
import { isRecord, type RawObject } from './raw-object.ts';

/** The latest time of any manager and of the creation, in ms since 1970; 0: the metadata has none. */
export function writtenAtOf({ metadata }: Pick<RawObject, 'metadata'>): number {
  const { creationTimestamp = '', managedFields = [] } = metadata;
  const times = managedFields.map((entry) =>
    isRecord(entry) && typeof entry['time'] === 'string' ? entry['time'] : '',
  );
  return latestOf([creationTimestamp, ...times]) ?? 0;
}

/** In ms since 1970; undefined: none of these is a time. */
export function latestOf(times: readonly string[]): number | undefined {
  const known = times.map((time) => Date.parse(time)).filter(Number.isFinite);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Objects tell whole seconds, cut off. */
export const WITHIN_SECOND_MS = 999;
