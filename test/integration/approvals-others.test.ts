/** Approvals guard the objects that decide what is in effect of flags which were approved. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApprovalsWorld, type PersonName, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aProject, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';

const strategies = { all: { name: 'default' } };
const noRequest = /no ChangeRequest can ask for it/;

let world: ApprovalsWorld;

const post = (by: PersonName, plural: string, body: Manifest) =>
  world.as(by).request({ method: 'POST', path: world.pathOf(plural), body });
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
