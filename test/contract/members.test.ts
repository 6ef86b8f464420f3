/** …/users/:userId/roles/:roleId in depth: whose membership counts, what is written, what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectSpec } from '../../src/schema/project.ts';
import { aProject, aRole, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { expectHealthyStatus } from '../support/expect-healthy-status.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/raw-http.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let home: string;
/** A project that no test changes, with ada as its owner and lin as a member. */
const STILL = 'still';
let round = 0;

const [ADA, LIN, EVA, SLASH, PROTO, INHERITED] = [11, 12, 13, 14, 15, 16];
const [ADMIN, OWNER, MEMBER, CAPTAIN, AUDITOR] = [1, 4, 5, 21, 22];
const ODD_NAME = 'a/b~c@example.com';

beforeAll(async () => {
  instance = await startInstance('members');
  home = instance.home;
  await instance.apply(
    aUser(`${home}/ada`, { id: ADA }),
    aUser(`${home}/lin-object`, { id: LIN, username: 'lin@example.com' }),
    aUser(`${home}/eva`, { id: EVA }),
    aUser(`${home}/slash`, { id: SLASH, username: ODD_NAME }),
    aUser(`${home}/proto`, { id: PROTO, username: '__proto__' }),
    aUser(`${home}/inherited`, { id: INHERITED, username: 'constructor' }),
    aRole(`${home}/captain-object`, { id: CAPTAIN, name: 'Release.Captain' }),
    aRole(`${home}/auditor`, { id: AUDITOR, type: 'root' }),
    aProject(`${home}/${STILL}`, { members: { ada: 'owner', 'lin@example.com': 'member' } }),
  );
});
afterAll(() => instance.stop());

/** Creates a project for one test, and returns its id. */
async function project(members?: ProjectSpec['members'], more: ProjectSpec = {}): Promise<string> {
  round += 1;
  const id = `project-${round}`;
  await instance.apply(aProject(`${home}/${id}`, { ...more, ...(members !== undefined && { members }) }));
  return id;
}

const pathOf = (id: string, user: number | string, role: number | string) =>
  `/projects/${id}/users/${user}/roles/${role}`;
const add = (id: string, user: number, role: number) => instance.call(`POST ${pathOf(id, user, role)}`);
const change = (id: string, user: number, role: number) => instance.call(`PUT ${pathOf(id, user, role)}`);
const remove = (id: string, user: number, role: number) => instance.call(`DELETE ${pathOf(id, user, role)}`);
const specOf = (id: string): Promise<Stored> => instance.specOf('project', `${home}/${id}`);
const membersOf = async (id: string) => Object.entries((await specOf(id)).members ?? {});
const counted = async (id: string): Promise<number> => (await instance.call(`GET /projects/${id}`)).body.members;
const object = async (id: string): Promise<Stored> => instance.cluster.getObject(`fp/${id}`, home);

const MISSING = { status: 404, name: 'NotFoundError' };
const INVALID = { status: 400, name: 'ValidationError' };
const LAST = [{ msg: 'A project must have at least one owner.' }];

/** Checks a refusal whose body is a list of messages. */
async function refusesWith(request: string, messages: unknown): Promise<void> {
  const { status, body, headers } = await instance.untouched(request);
  expect([status, body]).toEqual([400, messages]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
}

/** Resolves with the status when it is about the present spec and names these problems with members. */
function untilRecorded(id: string, want: readonly string[]): Promise<Stored> {
  return waitUntil({ what: `${id} has ${want.join(', ') || 'no problems'}` }, async () => {
    const found = await object(id);
    const recorded = (found.status?.problems ?? []).map(({ severity, reason }: Stored) => `${severity} ${reason}`);
    const isJudged = found.status?.observedGeneration === found.metadata.generation;
    return isJudged && JSON.stringify(recorded) === JSON.stringify(want) && found;
  });
}

describe('a write', () => {
  test('changes one field, which the API owns from then on; everything else stays, with its owner', async () => {
    const id = await project({ ada: 'owner' }, { displayName: 'Named', environments: ['production'] });
    expect((await add(id, LIN, MEMBER)).status).toBe(200);
    const { spec, metadata } = await object(id);
    expect(spec).toEqual({
      displayName: 'Named',
      environments: ['production'],
      members: { ada: 'owner', 'lin@example.com': 'member' },
    });
    const owned = (manager: string) =>
      metadata.managedFields.find((entry: Stored) => entry.manager === manager && !entry.subresource).fieldsV1[
        'f:spec'
      ];
    expect(owned('vexil-api')).toEqual({ 'f:members': { 'f:lin@example.com': {} } });
    expect(owned('kubectl-client-side-apply')['f:members']).toEqual({ '.': {}, 'f:ada': {} });
  });

  test('removes the entry, and nothing else', async () => {
    const id = await project({ ada: 'owner', eva: 'member', 'lin@example.com': 'member' }, { description: 'd' });
    expect((await remove(id, EVA, MEMBER)).status).toBe(200);
    expect(await specOf(id)).toEqual({ description: 'd', members: { ada: 'owner', 'lin@example.com': 'member' } });
  });

  test.each([
    ['Owner', OWNER, 'owner'],
    ['a role of its own', CAPTAIN, 'Release.Captain'],
  ])('%s, as users write it', async (_, role, want) => {
    const id = await project();
    await add(id, ADA, role);
    expect(await specOf(id)).toEqual({ members: { ada: want } });
    expect((await untilRecorded(id, role === OWNER ? [] : ['Warning NoOwner'])).status.members).toBe(1);
  });

  test.each([
    ['a slash and a tilde', SLASH, ODD_NAME],
    ['__proto__', PROTO, '__proto__'],
    ['what every object has', INHERITED, 'constructor'],
  ])('a username with %s is an ordinary member', async (_, user, username) => {
    const id = await project({ ada: 'owner' });
    expect((await add(id, user, MEMBER)).status).toBe(200);
    expect((await change(id, user, OWNER)).status).toBe(200);
    expect(new Map(await membersOf(id))).toEqual(
      new Map([
        ['ada', 'owner'],
        [username, 'owner'],
      ]),
    );
    await refusesWith(`POST ${pathOf(id, user, MEMBER)}`, [{ msg: `User already has access to project=${id}` }]);
    expect((await remove(id, user, OWNER)).status).toBe(200);
    expect(await membersOf(id)).toEqual([['ada', 'owner']]);
    expect((await remove(id, user, OWNER)).status).toBe(404);
  });

  test('the counts of overview and list follow at once', async () => {
    const id = await project({ ada: 'owner' });
    const listed = async (): Promise<number> => {
      const { body } = await instance.call('GET /projects');
      return body.projects.find((one: Stored) => one.id === id).memberCount;
    };
    await add(id, EVA, MEMBER);
    expect([await counted(id), await listed()]).toEqual([2, 2]);
    await remove(id, EVA, MEMBER);
    expect([await counted(id), await listed()]).toEqual([1, 1]);
  });

  test('also into a project of another namespace', async () => {
    expect((await add('pay', ADA, OWNER)).status).toBe(200);
    expect(await instance.specOf('project', `${instance.other}/pay`)).toEqual({ members: { ada: 'owner' } });
  });

  test('a role that is written in another form is left unchanged if the member has it already', async () => {
    const id = await project({ ada: 'Owner' });
    const { status, text } = await instance.untouched(`PUT ${pathOf(id, ADA, OWNER)}`);
    expect([status, text]).toEqual([200, '']);
    expect(await specOf(id)).toEqual({ members: { ada: 'Owner' } });
  });

  test('refuses more members than a project may have', async () => {
    const many = Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`nobody-${n}`, 'member']));
    const id = await project({ ada: 'owner', ...many });
    const message = await instance.refuses(`POST ${pathOf(id, EVA, MEMBER)}`, INVALID);
    expect(message).toContain('spec.members');
    expect(message).toContain('1000');
  });
});

describe('a custom role', () => {
  test('is given, replaced and removed by its id', async () => {
    const id = await project({ ada: 'owner' });
    expect((await add(id, EVA, CAPTAIN)).status).toBe(200);
    await instance.refuses(`DELETE ${pathOf(id, EVA, MEMBER)}`, MISSING);
    expect((await change(id, EVA, MEMBER)).status).toBe(200);
    expect((await change(id, EVA, CAPTAIN)).status).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner', eva: 'Release.Captain' } });
    expect((await remove(id, EVA, CAPTAIN)).status).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner' } });
  });

  test('is no owner, whatever its permissions', async () => {
    const id = await project({ ada: 'owner', eva: 'Release.Captain' });
    await refusesWith(`DELETE ${pathOf(id, ADA, OWNER)}`, LAST);
    await refusesWith(`PUT ${pathOf(STILL, ADA, CAPTAIN)}`, LAST);
  });
});

describe('entries without a user', () => {
  test('an owner whose FlagUser does not exist is not counted, stays, and counts when the user is created', async () => {
    const id = await project({ ada: 'owner', moon: 'owner' });
    await refusesWith(`DELETE ${pathOf(id, ADA, OWNER)}`, LAST);
    await refusesWith(`PUT ${pathOf(id, ADA, MEMBER)}`, LAST);
    await add(id, EVA, MEMBER);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner', moon: 'owner', eva: 'member' } });

    await instance.apply(aUser(`${home}/moon`));
    await waitUntil({ what: 'moon counts' }, async () => (await counted(id)) === 3);
    expect((await remove(id, ADA, OWNER)).status).toBe(200);
    await instance.cluster.deleteObject('fuser/moon', home);
  });

  test('a member whose role does not exist is no member: PUT does nothing, DELETE is 404, POST overwrites it', async () => {
    const id = await project({ ada: 'owner', eva: 'no-such-role' });
    const { status } = await instance.untouched(`PUT ${pathOf(id, EVA, MEMBER)}`);
    expect(status).toBe(200);
    await instance.refuses(`DELETE ${pathOf(id, EVA, MEMBER)}`, MISSING);
    expect((await add(id, EVA, MEMBER)).status).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner', eva: 'member' } });
  });
});

describe('kubectl without the API', () => {
  test('may remove the last owner; the status warns, and the API adds one again', async () => {
    const id = await project({ ada: 'owner', eva: 'member' });
    await instance.cluster.patchObject(`fp/${id}`, home, { spec: { members: { ada: null } } });
    const warned = await untilRecorded(id, ['Warning NoOwner']);
    expectHealthyStatus(warned);
    expect(warned.status.members).toBe(1);
    expect((await change(id, EVA, OWNER)).status).toBe(200);
    expectHealthyStatus(await untilRecorded(id, []));
  });

  test('the rule uses the members that kubectl has just written', async () => {
    const id = await project({ ada: 'owner', eva: 'owner' });
    await instance.cluster.patchObject(`fp/${id}`, home, { spec: { members: { eva: 'member' } } });
    await refusesWith(`DELETE ${pathOf(id, ADA, OWNER)}`, LAST);
    await instance.cluster.patchObject(`fp/${id}`, home, { spec: { members: { eva: 'owner' } } });
    expect((await remove(id, ADA, OWNER)).status).toBe(200);
  });
});

describe('refused', () => {
  test.each(['POST', 'PUT', 'DELETE'])('%s: invalid values are reported in the order of the path', async (method) => {
    const asked = (path: string, refused: typeof MISSING) => instance.refuses(`${method} ${path}`, refused);
    expect(await asked(pathOf('no-such', 'x', 'y'), INVALID)).toMatch(/`userId`.*"x".*`roleId`.*"y"/);
    expect(await asked(pathOf('no-such', 999, 998), MISSING)).toBe('There is no project with the id "no-such".');
    expect(await asked(pathOf(STILL, 999, 998), MISSING)).toBe('There is no user with the id 999.');
    expect(await asked(pathOf(STILL, ADA, 998), MISSING)).toBe('There is no role with the id 998.');
  });

  test.each(['POST', 'PUT', 'DELETE'])('%s with a root role, built-in or custom: 400', async (method) => {
    for (const [user, role, name] of [
      [ADA, ADMIN, 'Admin'],
      [EVA, AUDITOR, 'auditor'],
    ] as const) {
      const message = await instance.refuses(`${method} ${pathOf(STILL, user, role)}`, INVALID);
      expect(message).toContain(`\`roleId\` property must be the id of a role for members of projects, and "${name}"`);
    }
  });

  test('a deleted user: 404', async () => {
    const id = await project({ ada: 'owner' });
    await instance.apply(aUser(`${home}/brief`, { id: 40 }));
    const found = async () => (await instance.call('GET /user-admin/search?q=brief')).body.users.length;
    await waitUntil({ what: 'brief is a user' }, async () => (await found()) === 1);
    expect((await add(id, 40, MEMBER)).status).toBe(200);
    await instance.cluster.deleteObject('fuser/brief', home);
    await waitUntil({ what: 'brief does not count any more' }, async () => (await counted(id)) === 1);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      await instance.refuses(`${method} ${pathOf(id, 40, MEMBER)}`, MISSING);
    }
  });
});

describe('the body', () => {
  test('is not read, whatever it is: only the path counts', async () => {
    const id = await project({ ada: 'owner' });
    const asked = async (method: string, role: number, body: unknown) =>
      (await instance.call(`${method} ${pathOf(id, EVA, role)}`, { body })).status;
    expect(await asked('POST', MEMBER, { userId: ADA, projectId: 'pay', roleId: ADMIN })).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner', eva: 'member' } });
    expect(await asked('PUT', CAPTAIN, '{"userId":')).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner', eva: 'Release.Captain' } });
    expect(await asked('DELETE', CAPTAIN, Buffer.from([0xff, 0x00]))).toBe(200);
    expect(await specOf(id)).toEqual({ members: { ada: 'owner' } });
  });

  test('has the limit of bodies: 413, and nothing is written', async () => {
    const id = await project({ ada: 'owner' });
    const request = `POST ${pathOf(id, EVA, MEMBER)}`;
    await instance.refuses(request, { status: 413, name: 'PayloadTooLargeError', body: ' '.repeat(100_001) });
    expect((await instance.call(request, { body: ' '.repeat(100_000) })).status).toBe(200);
  });

  test('has the limit also for chunks without an announced length', async () => {
    const chunk = `${(60_000).toString(16)}\r\n${' '.repeat(60_000)}\r\n`;
    const head = [
      `POST /api/admin${pathOf(STILL, EVA, MEMBER)} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Transfer-Encoding: chunked',
    ];
    const { status, body } = await sendRaw(
      instance.url,
      `${head.join('\r\n')}\r\nConnection: close\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    );
    expect([status, body.name]).toEqual([413, 'PayloadTooLargeError']);
    expect((await membersOf(STILL)).map(([name]) => name)).toEqual(['ada', 'lin@example.com']);
  });
});

describe('?dryRun=true', () => {
  test.each([
    ['POST', EVA, MEMBER],
    ['PUT', LIN, CAPTAIN],
    ['DELETE', LIN, MEMBER],
  ])('%s: 200 without a body, nothing written', async (method, user, role) => {
    const { status, text } = await instance.untouched(`${method} ${pathOf(STILL, user, role)}?dryRun=true`);
    expect([status, text]).toEqual([200, '']);
    expect(await counted(STILL)).toBe(2);
  });

  test('is refused as the real request is', async () => {
    await refusesWith(`POST ${pathOf(STILL, ADA, MEMBER)}?dryRun=true`, [
      { msg: `User already has access to project=${STILL}` },
    ]);
    await refusesWith(`PUT ${pathOf(STILL, ADA, MEMBER)}?dryRun=true`, LAST);
    await refusesWith(`DELETE ${pathOf(STILL, ADA, OWNER)}?dryRun=true`, LAST);
  });
});

describe('If-Match', () => {
  test.each([
    ['POST', EVA, MEMBER],
    ['DELETE', LIN, MEMBER],
  ])('%s: 412 for another version of the overview, done for the present one', async (method, user, role) => {
    const id = await project({ ada: 'owner', 'lin@example.com': 'member' });
    const request = `${method} ${pathOf(id, user, role)}`;
    const present = (await instance.call(`GET /projects/${id}`)).headers.get('etag') ?? '';
    const failed = { status: 412, name: 'PreconditionFailedError' };
    expect(await instance.refuses(request, { ...failed, headers: { 'if-match': '"other"' } })).toContain(present);
    expect((await instance.call(request, { headers: { 'if-match': present } })).status).toBe(200);
    await instance.refuses(request, { ...failed, headers: { 'if-match': present } });
  });

  test('PUT: 412 too, also if there is nothing to do', async () => {
    const failed = { status: 412, name: 'PreconditionFailedError', headers: { 'if-match': '"other"' } };
    for (const user of [ADA, EVA]) await instance.refuses(`PUT ${pathOf(STILL, user, OWNER)}`, failed);
  });
});

describe('GET …/access', () => {
  test('lists members by id with their roles, and the available roles; an entry that is no member is left out', async () => {
    const id = await project({
      eva: 'owner',
      'lin@example.com': 'Release.Captain',
      ada: 'member',
      'no-such-user': 'member',
      slash: 'no-such-role',
    });
    const { body } = await instance.call(`GET /projects/${id}/access`);
    expect(body.users.map(({ id: user, username, roleId, roles }: Stored) => [user, username, roleId, roles])).toEqual([
      [ADA, 'ada', MEMBER, [MEMBER]],
      [LIN, 'lin@example.com', CAPTAIN, [CAPTAIN]],
      [EVA, 'eva', OWNER, [OWNER]],
    ]);
    expect(body.groups).toEqual([]);
    expect(body.roles.map(({ id: role, name, type }: Stored) => [role, name, type])).toEqual([
      [OWNER, 'Owner', 'project'],
      [MEMBER, 'Member', 'project'],
      [CAPTAIN, 'Release.Captain', 'custom'],
    ]);
  });

  test('its tag changes with a role, and a write with the old one is refused', async () => {
    const id = await project({ eva: 'owner', ada: 'member' });
    const { headers } = await instance.call(`GET /projects/${id}/access`);
    const etag = headers.get('etag') ?? '';
    const put = () => instance.call(`PUT ${pathOf(id, ADA, OWNER)}`, { headers: { 'if-match': etag } });
    expect([(await put()).status, (await put()).status]).toEqual([200, 412]);
    expect((await instance.call(`GET /projects/${id}/access`)).headers.get('etag')).not.toBe(etag);
  });
});
