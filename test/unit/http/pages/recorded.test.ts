/** When the history is up to date for a past time. */
import { expect, test } from 'vitest';
import type { PastObject } from '../../../../src/audit/archive/versions/versions.ts';
import { createRecorded } from '../../../../src/http/pages/recorded.ts';

const place = { resource: 'projects', namespace: 'home' };
const scopes = [{ scope: 'projects/home', since: 0, revision: 1, until: 1_000 }];
const asked = { at: 2_000, part: 'query', flags: { of: 'all' } } as const;
const version = { generation: 1, content: { spec: {} } };

function gone(hasLater: boolean): PastObject {
  return {
    ...{ ...place, uid: 'u1', name: 'far', created: '2026-01-01T00:00:00Z' },
    ...{ before: version, after: version, span: undefined, hasLater },
  };
}

test('an object that is gone now: its deletion must be recorded, whatever the time of it', () => {
  const recorded = createRecorded({ places: [place], flags: () => [], others: () => [] });
  const at = (hasLater: boolean) => () => recorded.requireUpToDate({ objects: [gone(hasLater)], scopes }, asked);
  expect(at(true)).not.toThrow();
  expect(at(false)).toThrow('are not in the history yet');
});
