/** The bypass matrix of approvals: each way to change a flag, by each kind of write, in each state of its requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import {
  type ApprovalState,
  type ApprovalSubject,
  approvalStates,
  refusalOf,
  writingMethods,
} from '../support/approval-states.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { afterOf, beforeFreeze, type FreezeWay, freezeWays } from '../support/freeze-ways.ts';
import { writersOn } from '../support/gitops/writers.ts';

let world: ApprovalsWorld;
const NEEDS_APPROVAL = /environment production needs the approval of another person/;

/** The ways that approvals refuse are those that a freeze refuses, from the same spec. */
const ways = freezeWays.filter((way) => way.isRefused && !way.startsOff && !('entry' in way));
/** No way leads there. */
const asked = {
  environments: { production: { enabled: true, strategies: { asked: { name: 'default' } } } },
};
const flags: ApprovalSubject = {
  ...{ kind: 'FeatureFlag', plural: 'featureflags', asked, other: { variants: [{ name: 'meanwhile' }] } },
  applied: (spec) => ({ ...spec, environments: { ...spec.environments, ...asked.environments } }),
};
const states: readonly ApprovalState[] = [
  ...approvalStates(() => world, flags),
  {
    name: 'a grant of another environment',
    async prepare(flag) {
      const one = await world.request('ada', flag, { environments: { development: { enabled: true } } });
      await world.approve('bob', one, { environments: ['production'] });
    },
  },
];

const flagOf = ({ name }: ApprovalState) => `state-${states.findIndex((one) => one.name === name)}`;

const methods = writingMethods(() => world, flags.plural);

beforeAll(async () => {
  world = await startApprovals('approvals-matrix');
  // A GitOps tool owns the flags, so that Vexil does not make the approved changes itself.
  const owned = states.map(async (state) => {
    const name = flagOf(state);
    await world.as('robot').request({
      ...{ method: 'PATCH', path: world.pathOf('featureflags', name), query: { fieldManager: 'kustomize-controller' } },
      ...{ contentType: 'application/apply-patch+yaml', body: aFlag(`${world.instance.home}/${name}`, beforeFreeze) },
    });
    await state.prepare(name);
  });
  await Promise.all(owned);
});
afterAll(() => world.stop());

test('the matrix has enough cells', () => {
  expect(ways.length * methods.length * states.length).toBeGreaterThan(400);
});

describe.each(states)('with $name', (state) => {
  test.each(ways)('nobody can $name', async (way: FreezeWay) => {
    const flag = await world.read('featureflags', flagOf(state));
    for (const { name, callFor } of methods) {
      const refusal = await refusalOf(world.as('eve').request(callFor(flag, afterOf(way))));
      expect([name, refusal]).toEqual([name, expect.stringMatching(NEEDS_APPROVAL)]);
    }
  });

  test('nobody can delete it', async () => {
    const path = world.pathOf('featureflags', flagOf(state));
    const call = { method: 'DELETE', path, query: { dryRun: 'All' } } as const;
    const refusal = await refusalOf(world.as('eve').request(call));
    expect(refusal).toMatch(NEEDS_APPROVAL);
  });

  test('everyone can switch it off', async () => {
    const flag = await world.read('featureflags', flagOf(state));
    const spec = structuredClone(flag.spec);
    spec.environments.production.enabled = false;
    for (const { callFor } of methods) await world.as('eve').request(callFor(flag, spec));
  });
});

test('with a grant, each kind of write can make exactly the granted change', async () => {
  const state = states.find(({ name }) => name === 'a grant of another value') as ApprovalState;
  const flag = await world.read('featureflags', flagOf(state));
  const spec = { ...flag.spec, environments: { ...flag.spec.environments, ...asked.environments } };
  for (const { callFor } of methods) await world.as('eve').request(callFor(flag, spec));
});

// After a refused upgrade, Helm 3 compares with a release that was never there.
const tools = writersOn({} as never).filter(({ name }) => name !== 'Helm 3');

describe.each(tools.map(({ name }) => name))('%s', (name) => {
  const slug = `by-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;

  test('receives the message, and succeeds once the change is approved', async () => {
    const tool = () =>
      writersOn(world.as('eve')).find((one) => one.name === name) as ReturnType<typeof writersOn>[number];
    const manifest = (environments: NonNullable<FlagSpec['environments']>) =>
      aFlag(`${world.instance.home}/${slug}`, { project: 'shop', environments });
    expect(await tool().apply(manifest({ production: { enabled: false } }))).toBe('written');
    expect(await refusalOf(tool().apply(manifest(asked.environments)))).toMatch(NEEDS_APPROVAL);
    const one = await world.request('ada', slug, asked);
    await world.approve('bob', one);
    await waitUntil({ what: `${slug} is approved` }, async () => {
      const { status } = await world.read('changerequests', one.metadata.name);
      return ['Approved', 'Applied'].includes(status?.phase);
    });
    // A tool that Vexil does not know as one that reverts finds the change made.
    await waitUntil({ what: `${slug} is as it was approved` }, async () => {
      await tool()
        .apply(manifest(asked.environments))
        .catch(() => undefined);
      return (await world.read('featureflags', slug)).spec.environments.production.enabled === true;
    });
    await world.untilPhase(one, 'Applied');
    expect((await world.read('featureflags', slug)).spec.environments).toEqual(asked.environments);
  });
});
