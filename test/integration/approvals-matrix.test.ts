/**
 * The bypass matrix of approvals: the ways to change a flag, a segment, a project or an environment, by each kind of
 * write, in the states of requests for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import {
  type ApprovalState,
  type ApprovalSubject,
  approvalStates,
  refusalOf,
  type WritingMethod,
  writingMethods,
} from '../support/approval-states.ts';
import { type ApprovalsWorld, OTHER_ENVIRONMENTS, startApprovals } from '../support/approvals-world.ts';
import { aFlag, anEnvironment, aProject, aSegment, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { afterOf, beforeFreeze, freezeWays } from '../support/freeze-ways.ts';
import { writersOn } from '../support/gitops/writers.ts';
import type { Stored } from '../support/stored.ts';

let world: ApprovalsWorld;
const NEEDS_APPROVAL = /environment production needs the approval of another person/;
const GRANTED = 'a grant of another value';
/** No way to change a flag leads there. */
const asked = {
  environments: { production: { enabled: true, strategies: { asked: { name: 'default' } } } },
};

beforeAll(async () => {
  world = await startApprovals('approvals-matrix');
});
afterAll(() => world.stop());

interface Attempt<Way> {
  readonly way: Way;
  readonly method: WritingMethod;
}

/**
 * Without a request, each way is tried by each kind of write, and with a grant by one of them. In the other states, it
 * is one way of `of`, another one in each state.
 */
function attemptsIn<Way>(
  { name, index, of }: { readonly name: string; readonly index: number; readonly of: number },
  ways: readonly Way[],
  methods: readonly WritingMethod[],
): readonly Attempt<Way>[] {
  return ways.flatMap((way, place) => {
    if (name === 'no request') return methods.map((method) => ({ way, method }));
    const turn = place + index;
    const method = methods[turn % methods.length];
    return method && (name === GRANTED || turn % of === 0) ? [{ way, method }] : [];
  });
}

describe('of a flag,', () => {
  /** The ways that approvals refuse are those that a freeze refuses, from the same spec. */
  const ways = freezeWays.filter((way) => way.isRefused && !way.startsOff && !('entry' in way));
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
    // A GitOps tool owns the flags, so that Vexil does not make the approved changes itself.
    const owned = states.map(async (state) => {
      const name = flagOf(state);
      await world.as('robot').request({
        ...{
          method: 'PATCH',
          path: world.pathOf('featureflags', name),
          query: { fieldManager: 'kustomize-controller' },
        },
        ...{ contentType: 'application/apply-patch+yaml', body: aFlag(`${world.instance.home}/${name}`, beforeFreeze) },
      });
      await state.prepare(name);
    });
    await Promise.all(owned);
  });

  test.each(states.map((state, index) => ({ ...state, index })))('with $name, nobody can', async (state) => {
    const flag = await world.read('featureflags', flagOf(state));
    const attempts = attemptsIn({ ...state, of: 4 }, ways, methods);
    expect(attempts.length).toBeGreaterThan(2);
    for (const { way, method } of attempts) {
      const refusal = await refusalOf(world.as('eve').request(method.callFor(flag, afterOf(way))));
      expect([method.name, way.name, refusal]).toEqual([method.name, way.name, expect.stringMatching(NEEDS_APPROVAL)]);
    }
    const deletion = {
      method: 'DELETE',
      path: world.pathOf('featureflags', flagOf(state)),
      query: { dryRun: 'All' },
    } as const;
    expect(await refusalOf(world.as('eve').request(deletion))).toMatch(NEEDS_APPROVAL);
    // Everyone can switch it off.
    const spec = structuredClone(flag.spec);
    spec.environments.production.enabled = false;
    const by = state.name === 'no request' ? methods : methods.slice(0, 1);
    for (const { callFor } of by) await world.as('eve').request(callFor(flag, spec));
  });

  test('with a grant, each kind of write can make exactly the granted change', async () => {
    const state = states.find(({ name }) => name === GRANTED) as ApprovalState;
    const flag = await world.read('featureflags', flagOf(state));
    const spec = { ...flag.spec, environments: { ...flag.spec.environments, ...asked.environments } };
    for (const { callFor } of methods) await world.as('eve').request(callFor(flag, spec));
  });
});

// Two whose fields Vexil leaves to them, and three for which it makes the change; each kind of write.
const tools = ['Flux', 'Argo CD', 'kubectl apply', 'kubectl edit', 'Helm 4'];

describe.each(tools)('%s', (name) => {
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

interface Subject extends ApprovalSubject {
  readonly make: (place: string) => Manifest;
  /** Makes the object one of those that decide what is in effect. */
  readonly use: (name: string) => Promise<unknown>;
  /** The fields of spec after changes that need approval. */
  readonly ways: Readonly<Record<string, object>>;
  /** The fields of spec after a change that needs none. */
  readonly harmless: object;
  /** A grant of the first of the ways, in part. */
  readonly forged: object;
}

const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }];
const otherConstraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['2'] }];
const uses = (segment: string) => ({ all: { name: 'default', segments: [segment] } });
const inProduction = (strategies: object) => ({ environments: { production: { enabled: true, strategies } } });

const segments: Subject = {
  ...{ kind: 'Segment', plural: 'segments', other: { constraints: [...constraints, ...constraints] } },
  asked: { environments: undefined, segment: { constraints } },
  applied: (spec) => ({ ...spec, constraints }),
  make: (place) => aSegment(place, { constraints: [] }),
  async use(name) {
    const flag = aFlag(`${world.instance.home}/uses-${name}`, inProduction(uses(name)) as never);
    await world.admin.request({ method: 'POST', path: world.pathOf('featureflags'), body: flag });
    await waitUntil({ what: `${name} is in use` }, async () => {
      return (await world.read('segments', name)).status?.environments?.includes('production');
    });
  },
  ways: {
    'let other users in': { constraints: otherConstraints },
    'give it to a project': { project: 'shop' },
    'give what was asked for to a project': { constraints, project: 'shop' },
  },
  harmless: { description: 'other' },
  forged: { constraints: otherConstraints },
};

const members = { eve: 'Owner', ada: 'approver' };
const projects: Subject = {
  ...{ kind: 'Project', plural: 'projects', other: { members: { cid: 'Member' } } },
  asked: { environments: undefined, project: { environments: ['development'], members } },
  applied: (spec) => ({ ...spec, environments: ['development'], members }),
  make: (place) => aProject(place, { environments: ['development', 'production'], members: { eve: 'Owner' } }),
  async use(name) {
    const flag = aFlag(`${world.instance.home}/of-${name}`, { project: name });
    await world.admin.request({ method: 'POST', path: world.pathOf('featureflags'), body: flag });
    await waitUntil({ what: `${name} has a flag` }, async () => {
      return (await world.read('projects', name)).status?.flags === 1;
    });
  },
  ways: {
    'leave out the environment': { environments: ['development'] },
    'let others approve': { members: { eve: 'Owner', cid: 'approver' } },
    'let more approve than was asked for': { environments: ['development'], members: { ...members, cid: 'approver' } },
    'leave out a member of those asked for': { environments: ['development'], members: { ada: 'approver' } },
    'use all environments in addition to what was asked for': { environments: null, members },
  },
  harmless: { displayName: 'other', members: { eve: 'Owner', bob: 'Member' } },
  forged: { settings: { environments: ['development'], members: { eve: 'Owner' } } },
};

const rules = { enabled: true, freezes: [], approvals: { required: 1 } };
const freeze = { name: 'x', from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
const environments: Subject = {
  ...{ kind: 'Environment', plural: 'environments', other: { approvals: { required: 2 } } },
  asked: { environments: undefined, environment: { ...rules, enabled: false, freezes: [freeze] } },
  applied: (spec) => ({ ...spec, enabled: false, freezes: [freeze] }),
  approvedIn: (name) => [name],
  make: (place) => anEnvironment(place, rules),
  use: async () => undefined,
  ways: {
    'need no approval any more': { approvals: null },
    'approve alone': { approvals: { required: 1, selfApproval: true } },
    'be exempt': { approvals: { required: 1, exempt: [{ kind: 'User', name: 'eve' }] } },
    'disable it': { enabled: false },
    'freeze it': { freezes: [freeze] },
    'remove the list of freezes': { freezes: null },
    'change the rules with what was asked for': { enabled: false, freezes: [freeze], approvals: { required: 3 } },
  },
  harmless: { displayName: 'other' },
  forged: { settings: { enabled: true, protected: false } },
};

/** The spec with these fields; null: without. */
function withFields(spec: Stored, fields: Stored): object {
  return Object.fromEntries(Object.entries({ ...spec, ...fields }).filter(([, value]) => value !== null));
}

function forged(plural: string, name: string, status: object): Promise<string> {
  const path = `${world.pathOf(plural, name)}/status`;
  const contentType = 'application/merge-patch+json';
  return refusalOf(world.as('forger').request({ method: 'PATCH', path, contentType, body: { status } }));
}

/** Grants are made and taken back in one way for all kinds: in these states, the policies answer in another way. */
const STATES_OF_OTHERS = [
  'no request',
  'the approval of the author',
  GRANTED,
  'a grant that was used, and its change taken back',
  'an object that changed after its approval',
];

// One kind after the other: each environment with approvals takes part in what changes of projects need.
describe.each([segments, projects, environments])('of a $kind,', (subject) => {
  const states = approvalStates(() => world, subject).filter(({ name }) => STATES_OF_OTHERS.includes(name));
  const names = states.map((_, index) => OTHER_ENVIRONMENTS[index] ?? '');
  const methods = writingMethods(() => world, subject.plural);
  const refused = /needs approval: make a ChangeRequest|no ChangeRequest can ask for it/;

  beforeAll(async () => {
    // A GitOps tool owns the objects, so that Vexil does not make the approved changes itself.
    const owned = states.map(async ({ prepare }, index) => {
      const name = names[index] ?? '';
      await world.admin.request({
        ...{ method: 'PATCH', path: world.pathOf(subject.plural, name), contentType: 'application/apply-patch+yaml' },
        ...{ query: { fieldManager: 'kustomize-controller' }, body: subject.make(`${world.instance.home}/${name}`) },
      });
      await subject.use(name);
      await prepare(name);
    });
    await Promise.all(owned);
  });

  test.each(states.map(({ name }, index) => ({ name, index })))('with $name, nobody can', async ({ name, index }) => {
    const object = await world.read(subject.plural, names[index] ?? '');
    const attempts = attemptsIn({ name, index, of: 1 }, Object.entries(subject.ways), methods);
    const tried = new Map<string, string>();
    for (const { way, method } of attempts) {
      const call = method.callFor(object, withFields(object.spec, way[1]));
      tried.set(`${method.name}: ${way[0]}`, await refusalOf(world.as('eve').request(call)));
    }
    const path = world.pathOf(subject.plural, object.metadata.name);
    tried.set(
      'deletion',
      await refusalOf(world.as('eve').request({ method: 'DELETE', path, query: { dryRun: 'All' } })),
    );
    expect([...tried].filter(([, refusal]) => !refused.test(refusal))).toEqual([]);
    expect(tried.size).toBe(attempts.length + 1);
    const by = name === 'no request' ? methods : methods.slice(0, 1);
    for (const { callFor } of by)
      await world.as('eve').request(callFor(object, withFields(object.spec, subject.harmless)));
  });

  test('with a grant, each kind of write can make exactly the granted change', async () => {
    const name = names[states.findIndex((one) => one.name === GRANTED)] ?? '';
    const object = await world.read(subject.plural, name);
    for (const { callFor } of methods) await world.as('eve').request(callFor(object, subject.applied(object.spec)));
  });

  test('nobody can forge a grant', async () => {
    const { metadata } = await world.read(subject.plural, names[0] ?? '');
    const grant = {
      ...{ request: 'r', uid: 'u', author: 'a', approvedBy: [], environments: ['production', metadata.name] },
      ...{ generation: metadata.generation, expiresAt: '2090-01-01T00:00:00Z', ...subject.forged },
    };
    expect(await forged(subject.plural, metadata.name, { grants: [grant] })).toMatch(/only Vexil grants changes/);
  });
});

test('nobody can say that a project has no flags, to delete it', async () => {
  const refusal = await forged('projects', OTHER_ENVIRONMENTS[0] ?? '', { flags: 0 });
  expect(refusal).toMatch(/only Vexil grants changes/);
});
