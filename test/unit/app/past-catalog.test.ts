/** Names of a past time: a namespace keeps a name for a while after its last object there is gone. */

import { expect, test } from 'vitest';
import { createPastCatalog } from '../../../src/app/past-catalog.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';

const DAY_MS = 86_400_000;
const until = '2026-03-08T00:00:00Z';
const deletedAt = Date.parse(until) - 7 * DAY_MS;

const metadata = (namespace: string, name: string) => ({
  namespace,
  name,
  uid: `${namespace}-${name}`,
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
});
const objects = [
  { resource: 'projects', metadata: metadata('elsewhere', 'twins'), spec: {} },
  { resource: 'featureflags', metadata: metadata('elsewhere', 'beta'), spec: { project: 'twins' } },
];

test.each([
  ['before the deletion, if no object had it', deletedAt - 1, { namespace: 'home', until }, 'beta'],
  ['after the deletion', deletedAt, { namespace: 'home', until }, undefined],
  ['if another namespace has it today, without an object then', deletedAt, { namespace: 'home' }, 'beta'],
  ['if nobody has it today', deletedAt, undefined, 'beta'],
])('the name of a flag in another namespace: %s', async (_, at, claim, wanted) => {
  const noClaim = () => undefined;
  const present = { flagClaim: () => claim, projectClaim: noClaim, segmentClaim: noClaim };
  const make = createPastCatalog({ catalog: present, home: 'home', tenureMs: 7 * DAY_MS });
  const flag = (await make(objects, { at, turn: turnsOfRequest() })).flag('beta');
  expect(flag && wireNameOf(flag)).toBe(wanted);
});
