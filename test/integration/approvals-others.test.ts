/** Approvals guard the objects that decide what is in effect of flags which were approved. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApprovalsWorld, type PersonName, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aProject, aSegment, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const strategies = { all: { name: 'default' } };
const noRequest = /no ChangeRequest can ask for it/;

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
  await expect(patch('eve', path, { constraints })).rejects.toThrow(noRequest);
  await patch('ada', world.pathOf('changerequests', request.metadata.name), { cancelled: true });
  await waitUntil({ what: 'the segment is free again' }, async () => (await environmentsOf()) === undefined);
  await patch('eve', path, { constraints });
});
