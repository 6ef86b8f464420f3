/** Reads the write time of an object from its metadata. */

import { recordsIn } from '../../model/json.ts';
import type { RawObject } from './raw-object.ts';

/** The latest of the creation and all managers' times, in ms since 1970; 0: the metadata has none. */
export function writtenAtOf({ metadata }: Pick<RawObject, 'metadata'>): number {
  const { creationTimestamp = '', managedFields = [] } = metadata;
  const times = recordsIn(managedFields).map(({ time }) => (typeof time === 'string' ? time : ''));
  return latestOf([creationTimestamp, ...times]) ?? 0;
}

/** The latest time in ms since 1970; undefined if none of the texts is a time. */
export function latestOf(times: readonly string[]): number | undefined {
  const known = times.map((time) => Date.parse(time)).filter(Number.isFinite);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Timestamps of objects are truncated to whole seconds. */
export const WITHIN_SECOND_MS = 999;
