/** The bypass matrix of approvals for segments, projects and environments: as for flags. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ApprovalSubject,
  approvalStates,
  refusalOf,
  type WritingMethod,
  writingMethods,
} from '../support/approval-states.ts';
import { type ApprovalsWorld, OTHER_ENVIRONMENTS, startApprovals } from '../support/approvals-world.ts';
import { aFlag, anEnvironment, aProject, aSegment, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';

let world: ApprovalsWorld;

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

beforeAll(async () => {
  world = await startApprovals('approvals-matrix-others');
});
afterAll(() => world.stop());

// One kind after the other: each environment with approvals takes part in what changes of projects need.
describe.each([segments, projects, environments])('of a $kind,', (subject) => {
  const states = approvalStates(() => world, subject);
  const names = states.map((_, index) => OTHER_ENVIRONMENTS[index] ?? '');
  const methods = writingMethods(() => world, subject.plural);
  const refused = /needs approval: make a ChangeRequest|no ChangeRequest can ask for it/;
  const everyMethod = async (name: string, run: (object: Stored, method: WritingMethod) => Promise<void>) => {
    const object = await world.read(subject.plural, name);
    for (const method of methods) await run(object, method);
  };

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

  test.each(states.map(({ name }, index) => [name, names[index] ?? '']))('with %s, nobody can', async (_, name) => {
    const tried: string[] = [];
    await everyMethod(name, async (object, method) => {
      for (const [way, fields] of Object.entries(subject.ways)) {
        const call = method.callFor(object, withFields(object.spec, fields));
        const refusal = await refusalOf(world.as('eve').request(call));
        tried.push(refused.test(refusal) ? 'refused' : `${method.name}: ${way}: ${refusal}`);
      }
      await world.as('eve').request(method.callFor(object, withFields(object.spec, subject.harmless)));
    });
    const deletion = { method: 'DELETE', path: world.pathOf(subject.plural, name), query: { dryRun: 'All' } } as const;
    tried.push(refused.test(await refusalOf(world.as('eve').request(deletion))) ? 'refused' : 'deleted');
    expect(tried.filter((one) => one !== 'refused')).toEqual([]);
    expect(tried).toHaveLength(Object.keys(subject.ways).length * methods.length + 1);
  });

  test('with a grant, each kind of write can make exactly the granted change', async () => {
    const name = names[states.findIndex((one) => one.name === 'a grant of another value')] ?? '';
    await everyMethod(name, async (object, { callFor }) => {
      await world.as('eve').request(callFor(object, subject.applied(object.spec)));
    });
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
