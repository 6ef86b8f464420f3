/** Approvals guard the objects that decide what is in effect of flags which were approved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangeRequestSpec } from '../../src/schema/change-request.ts';
import { type ApprovalsWorld, type PersonName, startApprovals } from '../support/approvals-world.ts';
import { aChangeRequest, aFlag, aProject, aSegment, type Manifest } from '../support/builders.ts';
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
