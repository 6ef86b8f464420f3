/** Entries as readers see them, with what the audit log of the API server says. */
import type { NewEntry } from './entry.ts';
import { FIELD_MANAGER_PREFIX, UNKNOWN_AUTHOR, type Witness } from './witness.ts';

type Named = Pick<NewEntry, 'createdBy' | 'channel'>;

/** Whether the entry says only which program made the change, or nothing. An anonymous caller of the API is known. */
export function isUnattributed({ createdBy, channel }: Named): boolean {
  const isElsewhere = channel === null || channel === 'kubernetes';
  return isElsewhere && (createdBy === UNKNOWN_AUTHOR || createdBy.startsWith(FIELD_MANAGER_PREFIX));
}

/** The entry as readers see it: an author in the log takes the place of nobody, and never that of a name. */
export function withWitness<T extends NewEntry>(entry: T, witness: Witness | undefined): T {
  if (witness === undefined) return entry;
  if (!isUnattributed(entry)) return { ...entry, witness };
  const { createdBy, createdByUserId, ip, fieldManager } = witness;
  return {
    ...entry,
    ...{ createdBy, createdByUserId, ip, channel: 'kubernetes', fieldManager: entry.fieldManager ?? fieldManager },
    witness,
  };
}
