/**
 * Approvals guard the objects that decide what is in effect of flags which were approved; approved changes of them are
 * made, or left to their owners.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangeRequestSpec } from '../../src/schema/change-request.ts';
import {
  type ApprovalsWorld,
  OTHER_ENVIRONMENTS,
  type PersonName,
  startApprovals,
} from '../support/approvals-world.ts';
import { aChangeRequest, aFlag, anEnvironment, aProject, aSegment, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';

const strategies = { all: { name: 'default' } };
const noRequest = /no ChangeRequest can ask for it/;
const makeRequest = /a segment that flags use in environment production needs approval: make a ChangeRequest/;

let world: ApprovalsWorld;

const post = (by: PersonName, plural: string, body: Manifest) =>
  world.as(by).request({ method: 'POST', path: world.pathOf(plural), body });
const patch = (by: PersonName, path: string, spec: object) =>
  world.as(by).request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body: { spec } });
const remove = (by: PersonName, plural: string, name: string) =>
  world.as(by).request({ method: 'DELETE', path: world.pathOf(plural, name) });

beforeAll(async () => {
  world = await startApprovals('approvals-others');
});
afterAll(() => world.stop());

test('a project that leaves out the environment cannot be deleted while it has flags: it could come back', async () => {
  const { home } = world.instance;
  await world.instance.apply(aProject(`${home}/narrow`, { environments: ['development'] }));
  const environments = { production: { enabled: true, strategies } };
  await post('boss', 'featureflags', aFlag(`${home}/inner`, { project: 'narrow', environments }));
  const untilCounted = (flags: number) =>
    waitUntil({ what: `the project has ${flags} flags` }, async () => {
      return (await world.read('projects', 'narrow')).status?.flags === flags;
    });
  await untilCounted(1);
  await expect(remove('eve', 'projects', 'narrow')).rejects.toThrow(noRequest);
  await remove('boss', 'featureflags', 'inner');
  await untilCounted(0);
  await remove('eve', 'projects', 'narrow');
});

test('a new project has no members who may approve', async () => {
  const { home } = world.instance;
  const withRole = (role: string) => aProject(`${home}/fresh`, { members: { ada: role } });
  await expect(post('eve', 'projects', withRole('approver'))).rejects.toThrow(noRequest);
  await post('eve', 'projects', withRole('Owner'));
  await post('eve', 'projects', aProject(`${home}/listing`, { environments: ['development'] }));
});

test('a segment stays as it is between the approval of a change that uses it and its effect', async () => {
  const { home } = world.instance;
  await world.instance.apply(
    aSegment(`${home}/beta`, { constraints: [] }),
    aFlag(`${home}/waiting`, { environments: { production: { enabled: false } } }),
  );
  const uses = { all: { name: 'default', segments: ['beta'] } };
  const request = await world.request('ada', 'waiting', {
    environments: { production: { enabled: true, strategies: uses } },
    ...{ applyAt: '2090-01-01T00:00:00Z', expiresAt: '2091-01-01T00:00:00Z' },
  });
  await world.approve('bob', request);
  await world.untilPhase(request, 'Approved');
  const path = world.pathOf('segments', 'beta');
  const environmentsOf = async () => (await world.read('segments', 'beta')).status?.environments;
  await waitUntil({ what: 'the segment is taken as in use' }, async () => {
    return (await environmentsOf())?.includes('production');
  });
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
  await expect(patch('eve', path, { constraints })).rejects.toThrow(makeRequest);
  await patch('ada', world.pathOf('changerequests', request.metadata.name), { cancelled: true });
  await waitUntil({ what: 'the segment is free again' }, async () => (await environmentsOf()) === undefined);
  await patch('eve', path, { constraints });
});

describe('a segment that flags use there', () => {
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }];
  const pathOf = (name: string) => world.pathOf('segments', name);
  const constraintsOf = async (name: string) => (await world.read('segments', name)).spec.constraints;
  const requestFor = (name: string) =>
    world.request('ada', name, {
      ...{ target: { kind: 'Segment', name }, environments: undefined, segment: { constraints } },
    } as Partial<ChangeRequestSpec>);

  /** A flag uses the segment, which the manager owns. */
  async function aUsedSegment(name: string, manager: string): Promise<void> {
    const { home } = world.instance;
    const manifest = aSegment(`${home}/${name}`, { constraints: [] });
    const query = { fieldManager: manager };
    const contentType = 'application/apply-patch+yaml';
    await world.as('robot').request({ method: 'PATCH', path: pathOf(name), query, body: manifest, contentType });
    const uses = { all: { name: 'default', segments: [name] } };
    const environments = { production: { enabled: true, strategies: uses } };
    await post('boss', 'featureflags', aFlag(`${home}/uses-${name}`, { environments }));
    await waitUntil({ what: `${name} is in use` }, async () => {
      return (await world.read('segments', name)).status?.environments?.includes('production');
    });
  }

  test('is changed by Vexil once another person has approved it, and the history says who', async () => {
    await aUsedSegment('testers', 'kubectl');
    await expect(patch('ada', pathOf('testers'), { constraints })).rejects.toThrow(makeRequest);
    const request = await requestFor('testers');
    await world.untilPhase(request, 'Pending');
    expect(await constraintsOf('testers')).toEqual([]);
    await world.approve('bob', request);
    await world.untilPhase(request, 'Applied');
    expect(await constraintsOf('testers')).toEqual(constraints);
    const events = await untilRecorded(world.instance.call, 'type=IS:change-request-applied', 1);
    expect(events[0]).toMatchObject({
      createdBy: world.usernameOf('ada'),
      environment: 'production',
      data: { request: request.metadata.name, approvedBy: world.usernameOf('bob') },
    });
    await expect(patch('eve', pathOf('testers'), { constraints: [] })).rejects.toThrow(makeRequest);
  });

  test('waits for the tool that owns it, and only the approved value passes, once', async () => {
    await aUsedSegment('owned', 'kustomize-controller');
    const request = await requestFor('owned');
    await world.approve('bob', request);
    await waitUntil({ what: 'the segment has a grant' }, async () => {
      const { metadata, status } = await world.read('segments', 'owned');
      return status?.grants?.some(({ generation }: Stored) => generation === metadata.generation);
    });
    const others = [{ ...constraints[0], values: ['3'] }];
    await expect(patch('eve', pathOf('owned'), { constraints: others })).rejects.toThrow(makeRequest);
    await expect(patch('eve', pathOf('owned'), { constraints, project: 'shop' })).rejects.toThrow(noRequest);
    await expect(remove('eve', 'segments', 'owned')).rejects.toThrow(noRequest);
    await patch('eve', pathOf('owned'), { constraints });
    await world.untilPhase(request, 'Applied');
    await expect(patch('eve', pathOf('owned'), { constraints: [] })).rejects.toThrow(makeRequest);
  });

  test('keeps its status: nobody else grants changes, or says that it is not used', async () => {
    await aUsedSegment('guarded', 'kubectl');
    const path = `${pathOf('guarded')}/status`;
    const contentType = 'application/merge-patch+json';
    const grant = { request: 'r', uid: 'u', generation: 1, author: 'a', approvedBy: [], constraints: [] };
    const grants = [{ ...grant, environments: ['production'], expiresAt: '2090-01-01T00:00:00Z' }];
    for (const status of [{ environments: null }, { grants }]) {
      const forging = world.as('forger').request({ method: 'PATCH', path, contentType, body: { status } });
      await expect(forging).rejects.toThrow(/only Vexil grants changes/);
    }
  });

  test('needs who may patch the segment to ask, and names the values of its kind only', async () => {
    await aUsedSegment('asked', 'kubectl');
    const { home } = world.instance;
    const target = { kind: 'Segment', name: 'asked' };
    const author = (name: PersonName) => ({ kind: 'User', name: world.usernameOf(name) });
    const ask = (by: PersonName, spec: object) =>
      world.create(by, aChangeRequest(`${home}/asked`, 'asked', { author: author(by), ...spec } as ChangeRequestSpec));
    const segment = { constraints };
    await expect(ask('reader', { target, environments: undefined, segment })).rejects.toThrow(/cannot patch segments/);
    await expect(ask('ada', { target, environments: undefined })).rejects.toThrow(/segment of a Segment/);
    await expect(ask('ada', { target, segment })).rejects.toThrow(/values of its target, and no others/);
    await expect(ask('ada', { segment })).rejects.toThrow(/values of its target, and no others/);
  });
});

describe('an approved change of a project or an environment', () => {
  const [guarded = ''] = OTHER_ENVIRONMENTS;
  const pathOf = (plural: string, name: string) => world.pathOf(plural, name);
  const specOf = async (plural: string, name: string) => (await world.read(plural, name)).spec;

  function request(kind: 'Project' | 'Environment', name: string, spec: object): Promise<Stored> {
    const asked = { target: { kind, name }, environments: undefined, ...spec };
    return world.request('ada', name, asked as Partial<ChangeRequestSpec>);
  }
  const decide = (by: PersonName, one: Stored, environment = 'production') =>
    world.approve(by, one, { environments: [environment] });

  test('Vexil makes the approved change of a project, and the history says who approved it', async () => {
    const { home } = world.instance;
    const members = { eve: 'Owner', ada: 'approver' };
    await world.instance.apply(aProject(`${home}/made`, { displayName: 'Made', members: { eve: 'Owner' } }));
    await expect(world.patch('eve', pathOf('projects', 'made'), { members })).rejects.toThrow(
      /needs approval: make a ChangeRequest/,
    );
    const one = await request('Project', 'made', { project: { environments: ['production'], members } });
    await world.untilPhase(one, 'Pending');
    expect((await world.read('changerequests', one.metadata.name)).status.environments).toEqual(['production']);
    await decide('bob', one);
    await world.untilPhase(one, 'Applied');
    expect(await specOf('projects', 'made')).toEqual({ displayName: 'Made', environments: ['production'], members });
    const { metadata, status } = await world.read('projects', 'made');
    expect([metadata.annotations['vexil.dev/changed-by'], status.grants]).toEqual([world.usernameOf('ada'), undefined]);
    expect((await world.read('changerequests', one.metadata.name)).status.environments).toEqual(['production']);
    const events = await untilRecorded(world.instance.call, 'type=IS:change-request-applied&project=IS:made', 1);
    expect(events[0]).toMatchObject({
      createdBy: world.usernameOf('ada'),
      environment: 'production',
      data: { request: one.metadata.name, approvedBy: world.usernameOf('bob') },
    });
  });

  test('the owner of a project writes the approved change, whatever the order of its list', async () => {
    const { home } = world.instance;
    const manifest = aProject(`${home}/owned`, { environments: ['production', 'development', 'other'] });
    const path = pathOf('projects', 'owned');
    const query = { fieldManager: 'kustomize-controller' };
    await world.as('robot').request({
      ...{ method: 'PATCH', path, query, body: manifest, contentType: 'application/apply-patch+yaml' },
    });
    await world.patch('eve', path, { members: { eve: 'Owner' } });
    const one = await request('Project', 'owned', {
      project: { environments: ['other', 'development'], members: { eve: 'Owner' } },
    });
    await decide('bob', one);
    await world.untilGranted('owned', 'projects');
    await waitUntil({ what: 'the request says who has to write it' }, async () => {
      const { status } = await world.read('changerequests', one.metadata.name);
      return status.problems[0]?.message.includes('the tool that owns the fields');
    });
    await world.patch('eve', path, { environments: ['development', 'other'] });
    await world.untilPhase(one, 'Applied');
  });

  test('an environment gets its approved rules, which count for the next change of them', async () => {
    const { home } = world.instance;
    await world.instance.apply(anEnvironment(`${home}/${guarded}`, { approvals: { required: 1 } }));
    const path = pathOf('environments', guarded);
    await expect(world.patch('ada', path, { approvals: { required: 2 } })).rejects.toThrow(
      /needs approval: make a ChangeRequest/,
    );
    const settings = (required: number) => ({
      environment: { enabled: false, protected: true, approvals: { required } },
    });
    const raised = await request('Environment', guarded, settings(2));
    await decide('bob', raised, guarded);
    await world.untilPhase(raised, 'Applied');
    expect(await specOf('environments', guarded)).toEqual({
      enabled: false,
      protected: true,
      approvals: { required: 2 },
    });
    const events = await untilRecorded(
      world.instance.call,
      `type=IS:change-request-applied&environment=IS:${guarded}`,
      1,
    );
    expect(events[0]).toMatchObject({ data: { request: raised.metadata.name, approvedBy: world.usernameOf('bob') } });
    const lowered = await request('Environment', guarded, settings(1));
    await decide('bob', lowered, guarded);
    await waitUntil({ what: 'one of two approvals counts' }, async () => {
      return (await world.read('changerequests', lowered.metadata.name)).status?.approvals === '1/2';
    });
    await decide('cid', lowered, guarded);
    await world.untilPhase(lowered, 'Applied');
    await world.patch('admin', path, { approvals: null });
  });

  test('a request for a project that changes meanwhile names the field, and what needs no approval is refused', async () => {
    const { home } = world.instance;
    await world.instance.apply(aProject(`${home}/busy`, { environments: ['development'] }));
    const path = pathOf('projects', 'busy');
    const one = await request('Project', 'busy', { project: { environments: ['production'] } });
    await world.untilPhase(one, 'Pending');
    await world.patch('eve', path, { members: { eve: 'Owner' } });
    await world.untilPhase(one, 'Outdated');
    const { status } = await world.read('changerequests', one.metadata.name);
    expect(status.problems[0].message).toContain('the project busy has changed');
    const free = await request('Project', 'busy', { project: { environments: ['development'], members: {} } });
    await waitUntil({ what: 'the request needs no approval' }, async () => {
      const found = await world.read('changerequests', free.metadata.name);
      return found.status?.problems?.[0]?.reason === 'NoApprovalNeeded';
    });
  });

  test('a freeze holds back the change of what is in effect, not that of members', async () => {
    const { home } = world.instance;
    await world.instance.apply(
      aProject(`${home}/frozen`, { environments: ['development'] }),
      aProject(`${home}/staffed`, { environments: ['development'] }),
    );
    const freezes = [{ name: 'sale', from: '2020-01-01T00:00:00Z', until: '2090-01-01T00:00:00Z' }];
    const [waiting, made] = [
      await request('Project', 'frozen', { project: { environments: ['production'] } }),
      await request('Project', 'staffed', { project: { environments: ['development'], members: { ada: 'approver' } } }),
    ];
    await world.patch('admin', pathOf('environments', 'production'), { freezes });
    await waitUntil({ what: 'the freeze is in force' }, async () => {
      return (await world.read('environments', 'production')).status.freeze !== undefined;
    });
    await decide('bob', waiting);
    await decide('bob', made);
    await world.untilPhase(made, 'Applied');
    await waitUntil({ what: 'the request says that it waits' }, async () => {
      const { status } = await world.read('changerequests', waiting.metadata.name);
      return status.problems?.[0]?.message.includes('the environment production is frozen');
    });
    expect((await specOf('projects', 'frozen')).environments).toEqual(['development']);
    await world.patch('admin', pathOf('environments', 'production'), { freezes: null });
    await world.untilPhase(waiting, 'Applied');
  });

  test('who may not change the object cannot ask, and a request has the values of its kind only', async () => {
    const { home } = world.instance;
    const ask = (by: PersonName, spec: object) => {
      const author = { kind: 'User', name: world.usernameOf(by) };
      const asked = { author, environments: undefined, ...spec } as Partial<ChangeRequestSpec>;
      return world.create(by, aChangeRequest(`${home}/asked`, 'asked', asked));
    };
    const environment = { approvals: { required: 2 } };
    const target = (kind: string) => ({ target: { kind, name: 'production' } });
    await expect(ask('reader', { ...target('Environment'), environment })).rejects.toThrow(/cannot patch environments/);
    await expect(ask('reader', { ...target('Project'), project: {} })).rejects.toThrow(/cannot patch projects/);
    await expect(ask('ada', { ...target('Project'), environment })).rejects.toThrow(/and no others/);
    await expect(ask('ada', { ...target('Environment'), environment, archived: true })).rejects.toThrow(
      /and no others/,
    );
  });

  test('a project of as many members as it can have passes the policy, with several grants', async () => {
    const { home } = world.instance;
    const of = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`member-${index}@example.com`, 'approver']));
    const manifest = aProject(`${home}/large`, { members: { ...of(998), eve: 'Owner' } });
    const [path, query] = [pathOf('projects', 'large'), { fieldManager: 'kustomize-controller' }];
    const contentType = 'application/apply-patch+yaml';
    await world.admin.request({ method: 'PATCH', path, query, contentType, body: manifest });
    // The owner of the members has to write the change.
    for (const roles of [{ eve: 'approver' }, { eve: 'approver', ada: 'Member' }]) {
      await decide('bob', await request('Project', 'large', { project: { members: { ...of(998), ...roles } } }));
    }
    await waitUntil({ what: 'each request has its grant' }, async () => {
      return (await world.read('projects', 'large')).status?.grants?.length === 2;
    });
    await expect(world.patch('eve', path, { members: { eve: 'other' } })).rejects.toThrow(
      /needs approval: make a ChangeRequest/,
    );
    await world.patch('eve', path, { members: { eve: 'approver', ada: 'Member' } });
  });
});
