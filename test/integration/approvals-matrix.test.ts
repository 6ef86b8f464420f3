/** The bypass matrix of approvals: each way to change a flag, by each kind of write, in each state of its requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import type { Call } from '../../src/kube/api/transport.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { type ApprovalsWorld, startApprovals } from '../support/approvals-world.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { afterOf, beforeFreeze, type FreezeWay, freezeWays } from '../support/freeze-ways.ts';
import { writersOn } from '../support/gitops/writers.ts';
import type { Stored } from '../support/stored.ts';

let world: ApprovalsWorld;
const NEEDS_APPROVAL = /environment production needs the approval of another person/;

/** The ways that approvals refuse are those that a freeze refuses, from the same spec. */
const ways = freezeWays.filter((way) => way.isRefused && !way.startsOff && !('entry' in way));
/** What the requests of the states ask for: no way leads there. */
const asked = {
  environments: { production: { enabled: true, strategies: { asked: { name: 'default' } } } },
};

interface State {
  readonly name: string;
  /** Brings the flag of this name into the state. */
  readonly prepare: (flag: string) => Promise<unknown>;
}

const request = (flag: string, spec: object = asked) => world.request('ada', flag, spec);
const patch = (flag: string, spec: object) =>
  world.admin.request({
    method: 'PATCH',
    path: world.pathOf('featureflags', flag),
    contentType: 'application/merge-patch+json',
    body: { spec },
  });

const states: readonly State[] = [
  { name: 'no request', prepare: async () => undefined },
  { name: 'a request that nobody approved', prepare: async (flag) => world.untilPhase(await request(flag), 'Pending') },
  {
    name: 'the approval of the author',
    async prepare(flag) {
      const one = await request(flag);
      await world.approve('ada', one);
      await world.untilPhase(one, 'Pending');
    },
  },
  {
    name: 'a grant of another value',
    async prepare(flag) {
      await world.approve('bob', await request(flag));
      await world.untilGranted(flag);
    },
  },
  {
    name: 'a grant of another environment',
    async prepare(flag) {
      await world.approve('bob', await request(flag, { environments: { development: { enabled: true } } }), {
        environments: ['production'],
      });
    },
  },
  {
    name: 'a grant that was used, and its change taken back',
    async prepare(flag) {
      const one = await request(flag);
      await world.approve('bob', one);
      await world.untilGranted(flag);
      const { spec } = await world.read('featureflags', flag);
      await patch(flag, mergePatchTo({ ...spec, environments: { ...spec.environments, ...asked.environments } }, spec));
      await world.untilPhase(one, 'Applied');
      await patch(flag, mergePatchTo(spec, (await world.read('featureflags', flag)).spec));
    },
  },
  {
    name: 'a rejected request',
    async prepare(flag) {
      const one = await request(flag);
      await world.approve('bob', one, { decision: 'Reject' });
      await world.untilPhase(one, 'Rejected');
    },
  },
  {
    name: 'a request that was cancelled after its approval',
    async prepare(flag) {
      const one = await request(flag);
      await world.approve('bob', one);
      await world.untilGranted(flag);
      await world.as('ada').request({
        ...{ method: 'PATCH', path: world.pathOf('changerequests', one.metadata.name) },
        ...{ contentType: 'application/merge-patch+json', body: { spec: { cancelled: true } } },
      });
      await world.untilPhase(one, 'Cancelled');
    },
  },
  {
    name: 'an expired request',
    async prepare(flag) {
      const one = await request(flag, { ...asked, expiresAt: '2020-01-01T00:00:00Z' });
      await world.approve('bob', one);
      await world.untilPhase(one, 'Expired');
    },
  },
  {
    name: 'a request for a later time',
    async prepare(flag) {
      const one = await request(flag, { ...asked, applyAt: '2090-01-01T00:00:00Z', expiresAt: '2091-01-01T00:00:00Z' });
      await world.approve('bob', one);
      await world.untilPhase(one, 'Approved');
    },
  },
  {
    name: 'a request for another object of this name',
    async prepare(flag) {
      const one = await request(flag, { ...asked, target: { kind: 'FeatureFlag', name: flag, uid: 'another' } });
      await world.approve('bob', one);
      await world.untilPhase(one, 'Outdated');
    },
  },
  {
    name: 'a flag that changed after its approval',
    async prepare(flag) {
      const one = await request(flag);
      await world.approve('bob', one);
      await world.untilGranted(flag);
      await patch(flag, { variants: [{ name: 'meanwhile' }] });
      await world.untilPhase(one, 'Outdated');
    },
  },
];

const flagOf = ({ name }: State) => `state-${states.findIndex((one) => one.name === name)}`;

interface Method {
  readonly name: string;
  readonly callFor: (flag: Stored, spec: FlagSpec) => Call;
}

const pathFor = ({ metadata }: Stored) => world.pathOf('featureflags', metadata.name);
const query = { dryRun: 'All' };
const methods: readonly Method[] = [
  {
    name: 'a JSON patch',
    callFor: (flag, value) => ({
      ...{ method: 'PATCH', path: pathFor(flag), query, contentType: 'application/json-patch+json' },
      body: [{ op: 'replace', path: '/spec', value }],
    }),
  },
  {
    name: 'a replacement',
    callFor: (flag, spec) => ({ method: 'PUT', path: pathFor(flag), query, body: { ...flag, spec } }),
  },
  {
    name: 'a merge patch',
    callFor: (flag, spec) => ({
      ...{ method: 'PATCH', path: pathFor(flag), query, contentType: 'application/merge-patch+json' },
      body: { spec: mergePatchTo(spec, flag.spec) },
    }),
  },
];

/** The merge patch that leads from the present spec to this one. */
function mergePatchTo(next: Stored, present: Stored): Stored {
  const keys = new Set([...Object.keys(next ?? {}), ...Object.keys(present ?? {})]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [to, from] = [next[key], present[key]];
      const areMaps = [to, from].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
      return [key, areMaps ? mergePatchTo(to, from) : (to ?? null)];
    }),
  );
}

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (reason: unknown) => reason,
  );
  return error instanceof ClusterError ? `${error.code}: ${error.message}` : String(error);
}

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
    const refusal = await refusalOf(world.as('eve').request({ method: 'DELETE', path, query }));
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
  const state = states.find(({ name }) => name === 'a grant of another value') as State;
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
    const one = await request(slug);
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
