/** Approvals on the command line: asking for changes, deciding on them, withdrawing them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApprovalsWorld, type PersonName, startApprovals } from '../support/approvals-world.ts';
import { aFlag, anEnvironment, aProject, aSegment } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Stored } from '../support/stored.ts';

const strategies = { all: { name: 'default' } };

let world: ApprovalsWorld;
let folder: string;

beforeAll(async () => {
  world = await startApprovals('cli-approvals');
  folder = await mkdtemp(join(tmpdir(), 'vexil-cli-approvals-'));
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

const as = (name: PersonName, ...args: readonly string[]) =>
  vexil([...args, '-n', world.instance.home], { environment: { KUBECONFIG: world.kubeconfigOf(name) } });

/** A flag that is off in the cluster, and a file in which it is on. */
async function fileOf(name: string, production: object = { enabled: true, strategies }): Promise<string> {
  const { home } = world.instance;
  await world.instance.apply(aFlag(`${home}/${name}`, { environments: { production: { enabled: false } } }));
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, JSON.stringify(aFlag(`${home}/${name}`, { environments: { production } })));
  return file;
}

async function asked(name: string): Promise<string> {
  const { stdout } = await as('ada', 'request', '-f', await fileOf(name), '--output', 'json');
  return JSON.parse(stdout).requests[0].request;
}
const untilPhase = (name: string, phase: string) => world.untilPhase({ metadata: { name } } as Stored, phase);

test('plan says that a change needs approval, and how to ask for it', async () => {
  const { code, stdout } = await as('eve', 'plan', '-f', await fileOf('planned'));
  expect([code, stdout]).toEqual([1, expect.stringContaining('needs the approval of another person')]);
  expect(stdout).toContain('vexil request');
});

test('request, approve: the change comes into effect', async () => {
  const file = await fileOf('shipped');
  const dry = await as('ada', 'request', '-f', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('would ask for approval in production') });
  const { code, stdout } = await as('ada', 'request', '-f', file, '--reason', 'It is time');
  expect(code, stdout).toBe(0);
  const [, name = ''] = /vexil approve (\S+)/.exec(stdout) ?? [];
  await untilPhase(name, 'Pending');
  const list = await as('bob', 'requests');
  expect(list.stdout).toMatch(new RegExp(`${name} +FeatureFlag +shipped +production +\\S+ada +Pending +0/1`));
  const approved = await as('bob', 'approve', name, '--yes', '--comment', 'seen');
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('asks to change shipped: It is time') });
  expect(approved.stdout).toContain('~ spec.environments.production.enabled: false -> true');
  await untilPhase(name, 'Applied');
  expect((await as('bob', 'approve', name, '--yes')).stderr).toContain('has ended: it is Applied');
  expect((await as('bob', 'requests')).stdout).not.toContain(name);
  expect((await as('bob', 'requests', '--all')).stdout).toContain(name);
});

test('requests --mine and --to-approve list what concerns the user', async () => {
  const name = await asked('concerning');
  await untilPhase(name, 'Pending');
  const lists = async (person: PersonName, choice: string) =>
    (await as(person, 'requests', choice)).stdout.includes(name);
  const seen = async (person: PersonName) => [await lists(person, '--mine'), await lists(person, '--to-approve')];
  expect(await seen('ada')).toEqual([true, false]);
  expect(await seen('bob')).toEqual([false, true]);
  expect(await seen('eve')).toEqual([false, false]);
  const both = await as('bob', 'requests', '--mine', '--to-approve');
  expect(both).toMatchObject({ code: 64, stderr: expect.stringContaining('cannot be used with') });
  expect((await as('bob', 'approve', name, '--yes')).code).toBe(0);
  await untilPhase(name, 'Applied');
  expect(await seen('bob')).toEqual([false, false]);
});

test('approve records the named groups, and refuses more than count', async () => {
  const name = await asked('grouped');
  await untilPhase(name, 'Pending');
  const many = Array.from({ length: 101 }, (_, index) => ['--group', `g${index}`]).flat();
  const refused = await as('bob', 'approve', name, '--yes', ...many);
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('at most 100 groups, not 101') });
  const { code, stderr } = await as('bob', 'approve', name, '--yes', '--group', 'system:authenticated');
  expect(code, stderr).toBe(0);
  await untilPhase(name, 'Applied');
});

test('requests NAME says what users get before and after', async () => {
  const region = { contextName: 'region', operator: 'IN', values: ['eu'] };
  const shares = { gradual: { name: 'flexibleRollout', parameters: { rollout: 25 } } };
  const wanted = { ...shares, eu: { name: 'default', constraints: [region] } };
  const file = await fileOf('wider', { enabled: true, strategies: wanted });
  const asking = await as('ada', 'request', '-f', file, '--output', 'json');
  const name: string = JSON.parse(asking.stdout).requests[0].request;
  await untilPhase(name, 'Pending');
  const { code, stdout, stderr } = await as('bob', 'requests', name);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('you may not read the Environment production');
  expect(stdout).toContain('asks to change wider');
  expect(stdout).toContain('Pending, 0/1 approvals: ');
  expect(stdout).toContain('production\n  before: off\n  after: on for 25 % of users, and some by their properties\n');
  expect(stdout).toMatch(/^ {2}.*region=eu.*: off -> on \(strategy eu\)$/m);
  const json = await as('bob', 'requests', name, '--output', 'json', '--at', '2030-01-01T00:00:00Z');
  expect(JSON.parse(json.stdout)).toMatchObject({
    name,
    effects: { at: '2030-01-01T00:00:00.000Z', environments: [{ environment: 'production', moreGroups: 0 }] },
  });
  expect((await as('bob', 'requests', 'nothing')).code).toBe(66);
});

test('reject and withdraw end a request', async () => {
  const [rejected, withdrawn] = [await asked('rejected'), await asked('withdrawn')];
  expect((await as('bob', 'reject', rejected, '--yes', '--comment', 'Not now')).code).toBe(0);
  await untilPhase(rejected, 'Rejected');
  expect((await as('ada', 'withdraw', withdrawn)).code).toBe(0);
  await untilPhase(withdrawn, 'Cancelled');
});

test('a comment needs no right to approve, and decides nothing', async () => {
  const name = await asked('commented');
  await untilPhase(name, 'Pending');
  const { code, stdout, stderr } = await as('eve', 'comment', name, 'Why now?');
  expect([code, stdout, stderr]).toEqual([0, `Commented on ${name}.\n`, '']);
  await waitUntil({ what: 'the comment is judged' }, async () => {
    const list: Stored = await world.admin.request({ method: 'GET', path: world.pathOf('changeapprovals') });
    const [comment] = list.items.filter(({ spec }: Stored) => spec.request.name === name);
    return comment?.spec.comment === 'Why now?' && comment.status?.conditions[0].status === 'True';
  });
  expect((await world.read('changerequests', name)).status).toMatchObject({ phase: 'Pending', approvals: '0/1' });
  expect((await as('eve', 'comment', name, '')).stderr).toContain('a decision Comment needs a comment');
});

test('who may not approve learns why', async () => {
  const name = await asked('unapproved');
  const { code, stderr } = await as('eve', 'approve', name, '--yes');
  expect([code, stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('needs the verb approve on environments'),
  ]);
  const own = await as('ada', 'approve', name, '--yes');
  expect(own.code).toBe(0);
  await waitUntil({ what: 'the status says why' }, async () => {
    const list: Stored = await world.admin.request({ method: 'GET', path: world.pathOf('changeapprovals') });
    return list.items.some(({ spec, status }: Stored) => {
      return spec.request.name === name && status?.conditions[0].message.includes('may be the author');
    });
  });
});

test('a segment in use: request, requests NAME, approve', async () => {
  const { home } = world.instance;
  await world.instance.apply(aSegment(`${home}/testers`, { constraints: [] }));
  const environments = {
    production: { enabled: true, strategies: { all: { name: 'default', segments: ['testers'] } } },
  };
  await world.create('boss', aFlag(`${home}/segmented`, { environments }));
  await waitUntil({ what: 'the segment is in use' }, async () => {
    return (await world.read('segments', 'testers')).status?.environments?.includes('production');
  });
  const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['7'] }];
  const file = join(folder, 'testers.yaml');
  await writeFile(file, JSON.stringify(aSegment(`${home}/testers`, { constraints })));
  const plan = await as('ada', 'plan', '-f', file);
  expect(plan.stdout).toContain('make a ChangeRequest');
  const asking = await as('ada', 'request', '-f', file, '--output', 'json');
  const [{ kind, request: name }] = JSON.parse(asking.stdout).requests;
  expect(kind).toBe('Segment');
  await untilPhase(name, 'Pending');
  const shown = await as('bob', 'requests', name);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/asks to change testers\n.*constraints/s) });
  expect(shown.stdout).toMatch(/1 flag uses the segment\nsegmented-\S+ in production\n.*\(strategy all\) -> off/s);
  expect((await as('bob', 'approve', name, '--yes')).code).toBe(0);
  await untilPhase(name, 'Applied');
  expect((await world.read('segments', 'testers')).spec.constraints).toEqual(constraints);
  expect((await as('ada', 'request', '-f', file)).stdout).toBe('No change of these manifests needs approval.\n');
});

test('projects and environments: request, requests NAME, approve', async () => {
  const { home } = world.instance;
  await world.instance.apply(aProject(`${home}/team`, { members: { eve: 'Owner' } }));
  const file = join(folder, 'team.yaml');
  const manifests = [
    aProject(`${home}/team`, { members: { ada: 'approver' } }),
    anEnvironment(`${home}/production`, { freezes: [] }),
    anEnvironment(`${home}/not-there`),
  ];
  await writeFile(file, manifests.map((one) => JSON.stringify(one)).join('\n---\n'));
  const { stdout, stderr, code } = await as('ada', 'request', '-f', file, '--output', 'json');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: Environment is left out: .*not-there/)]);
  const { requests } = JSON.parse(stdout);
  expect(requests).toMatchObject([
    // The user may not list the Environments.
    { kind: 'Project', target: `${home}/team`, environments: [] },
    { kind: 'Environment', target: `${home}/production`, environments: ['production'] },
  ]);
  for (const { request } of requests) await untilPhase(request, 'Pending');
  const [ofProject, ofEnvironment] = requests.map(({ request }: Stored) => request);
  const shown = await as('bob', 'requests', ofProject);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('+ spec.members.ada: "approver"') });
  expect(shown.stdout).not.toContain('spec.members.eve');
  expect((await as('bob', 'approve', ofProject, '--yes')).code).toBe(0);
  await untilPhase(ofProject, 'Applied');
  expect((await world.read('projects', 'team')).spec.members).toEqual({ eve: 'Owner', ada: 'approver' });
  expect((await as('bob', 'requests', ofEnvironment)).stdout).not.toContain('approvals');
  expect((await as('ada', 'withdraw', ofEnvironment)).code).toBe(0);
});

test('without a terminal, a decision needs --yes', async () => {
  const { code, stderr } = await as('bob', 'approve', await asked('unasked'));
  expect([code, stderr]).toEqual([64, expect.stringContaining('add --yes')]);
});

test('a request that is not there is named', async () => {
  const { code, stderr } = await as('bob', 'approve', 'nothing', '--yes');
  expect([code, stderr]).toEqual([66, expect.stringContaining('there is no ChangeRequest "nothing"')]);
});
