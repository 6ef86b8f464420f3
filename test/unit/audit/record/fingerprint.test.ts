/** Whether the difference between two versions of an object is recorded. */
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../../src/audit/record/fingerprint.ts';
import type { RawObject } from '../../../../src/kube/object/raw-object.ts';

type Version = Pick<RawObject, 'metadata' | 'status'>;

const version = (status?: unknown, facts: Partial<Version['metadata']> = {}): Version => ({
  metadata: { namespace: 'home', name: 'f', uid: 'u', resourceVersion: '1', generation: 1, ...facts },
  status,
});
const outlived = (status: string) => ({
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'PotentiallyStale', status },
  ],
});

test.each<readonly [name: string, before: Version, after: Version, isRecorded: boolean]>([
  ['a new generation is recorded', version(), version(undefined, { generation: 2 }), true],
  ['that a flag is potentially stale is recorded', version(), version(outlived('True')), true],
  ['that it no longer is makes the next time tellable', version(outlived('True')), version(outlived('False')), true],
  ['that it still is, is not', version(outlived('True')), version(outlived('True'), { resourceVersion: '2' }), false],
  ['that it is denied for the first time is not', version(), version(outlived('False')), false],
  ['the id that a user is given is recorded', version({}), version({ id: 3 }), true],
  ['that a request expired is recorded', version({ phase: 'Pending' }), version({ phase: 'Expired' }), true],
  [
    'that it was approved is not, because the decision is',
    version({ phase: 'Pending' }),
    version({ phase: 'Approved' }),
    false,
  ],
  ['any other status is not', version({ observedGeneration: 1 }), version({ observedGeneration: 2, flags: 3 }), false],
  ['an annotation is not', version(), version(undefined, { annotations: { note: 'new' } }), false],
  ['a status that is no status is not', version('broken'), version({ conditions: 'broken' }), false],
])('%s', (_, before, after, isRecorded) => {
  expect(fingerprintOf(before) !== fingerprintOf(after)).toBe(isRecorded);
});
