/** Entries for tests of the archive. */
import type { NewEntry } from '../../../src/domain/history/entry.ts';

/** An entry about a flag of the project shop; each key is another entry. */
export function anEntry(key: string, changes: Partial<NewEntry> = {}): NewEntry {
  return {
    key,
    type: 'feature-updated',
    project: 'shop',
    environment: null,
    featureName: 'checkout',
    data: { name: 'checkout' },
    preData: null,
    tags: [],
    subject: '',
    createdBy: 'ann@example.com',
    createdByUserId: 1,
    ip: null,
    ...{ channel: null, fieldManager: null, reason: null },
    resource: 'featureflags',
    namespace: 'team-a',
    object: 'checkout',
    uid: `uid-of-${key}`,
    fromVersion: '1',
    toVersion: '2',
    coalesced: false,
    earliestAt: null,
    createdAt: 1_000,
    restored: false,
    ...changes,
  };
}
