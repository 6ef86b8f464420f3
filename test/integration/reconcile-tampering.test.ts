/** Only the operator owns a status: it corrects what another user writes into it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aFlag, anEnvironment, aProject, aRole, aStrategyType, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';

const on = { enabled: true, strategies: { all: { name: 'default' } } };
const LATER = '2026-01-01T00:00:00Z';
const foreign = { status: 'True', reason: 'Tampered', message: 'not so', lastTransitionTime: LATER };

let instance: Instance;
let atRest: ReadonlyMap<string, Stored>;

beforeAll(async () => {
  instance = await startInstance('tampering');
  const { home } = instance;
  await instance.apply(
    aFlag(`${home}/on`, { environments: { production: on } }),
    aFlag(`${home}/wrong`, { environments: { moon: on } }),
    aProject(`${home}/tampered`, { environments: [] }),
    anEnvironment(`${home}/tampered`, { enabled: false }),
    aUser(`${home}/tampered`, { id: 77 }),
    aRole(`${home}/tampered`),
    aStrategyType(`${home}/tampered`),
  );
  const objects = [
    'ff/on',
    'ff/wrong',
    'fp/tampered',
    'fenv/tampered',
    'fuser/tampered',
    'frole/tampered',
    'fstrat/tampered',
  ];
  atRest = new Map(await Promise.all(objects.map(async (what) => [what, await settled(what)] as const)));
});
afterAll(() => instance?.stop());

async function object(what: string): Promise<Stored> {
  return instance.cluster.getObject(what, instance.home);
}

const withoutTimes = ({ conditions = [], ...rest }: Stored) => ({
  ...rest,
  conditions: conditions.map(({ lastTransitionTime: _, ...recorded }: Stored) => recorded),
});

/** The final status of the operator, with its counts. */
async function settled(what: string): Promise<Stored> {
  let before: string | undefined;
  return waitUntil({ what: `${what} is at rest`, everyMs: 1200 }, async () => {
    const { metadata, status } = await object(what);
    const same = metadata.resourceVersion === before && status?.observedGeneration === metadata.generation;
    before = metadata.resourceVersion;
    return same && withoutTimes(status);
  });
}

describe.each([
  ['ff/on', 'a changed text', { status: { enabledIn: 'moon' } }],
  ['ff/on', 'no conditions', { status: { conditions: [] } }],
  ['ff/on', 'no status', [{ op: 'remove', path: '/status' }]],
  [
    'ff/on',
    'a condition too many',
    [{ op: 'add', path: '/status/conditions/-', value: { ...foreign, type: 'Stalled' } }],
  ],
  [
    'ff/on',
    'problems where there are none',
    { status: { problems: [{ severity: 'Error', path: 'spec', reason: 'NoOwner', message: 'x' }] } },
  ],
  ['ff/wrong', 'no problems', { status: { problems: null } }],
  ['fp/tampered', 'other counts', { status: { flags: 77, members: 77, health: 7 } }],
  ['fenv/tampered', 'other counts', { status: { projectCount: 77, enabledToggleCount: 77 } }],
  ['fuser/tampered', 'no status', [{ op: 'remove', path: '/status' }]],
  ['frole/tampered', 'another generation', { status: { observedGeneration: 99 } }],
  ['fstrat/tampered', 'no status', [{ op: 'remove', path: '/status' }]],
] as const)('%s', (what, title, patch) => {
  test(`with ${title} gets its true values back`, async () => {
    const want = atRest.get(what);
    const tampered = await instance.cluster.patchObject(`${what}/status`, instance.home, patch);
    expect(withoutTimes(tampered.status ?? {}), 'nothing is changed').not.toEqual(want);
    await waitUntil({ what: 'it is put right' }, async () => {
      const { status } = await object(what);
      return JSON.stringify(sorted(withoutTimes(status ?? {}))) === JSON.stringify(sorted(want));
    });
    expectHealthyStatus(await object(what));
  });
});

/** Sorts the keys of objects. */
function sorted(value: Stored): Stored {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
