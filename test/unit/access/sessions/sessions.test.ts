/** Sessions, their keys, and their reaction to changes of the Secret. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keyIdOf, type Purpose, seal, sessionKey, unseal } from '../../../../src/access/sessions/seal.ts';
import { createSessionKeys, MAX_KEY_AGE_MS } from '../../../../src/access/sessions/session-keys.ts';
import { createSessions, MAX_SESSION_MS } from '../../../../src/access/sessions/sessions.ts';
import { ClusterError } from '../../../../src/errors.ts';
import type { Secret } from '../../../../src/kube/api/secrets.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-03-01T09:00:00Z');

/** The Secret of a namespace, with replicas that share it. */
function aNamespace() {
  const state = {
    value: undefined as string | undefined,
    managers: ['vexil'],
    /** Who made the keys that replicas have found. */
    announced: [] as (readonly string[])[],
    reachable: true,
    reads: 0,
    now: 0,
    hangs: false,
    pauses: [] as number[],
  };
  const secretOf = (value: string): Secret => ({ labels: {}, owners: [], managers: state.managers, value });
  const secrets = {
    async read() {
      state.reads += 1;
      if (state.hangs) return new Promise<never>(() => undefined);
      if (!state.reachable) throw new ClusterError('unavailable', 'not reachable');
      return state.value === undefined ? undefined : secretOf(state.value);
    },
    async create({ value }: { readonly value: string }) {
      if (state.value !== undefined) return undefined;
      state.value = value;
      return secretOf(value);
    },
  };
  const replica = (tokens: Readonly<Record<string, string>> = {}, provider?: string) => {
    const ref = { namespace: 'home', name: 'keys' };
    const keys = createSessionKeys({
      secrets,
      ref,
      newKey: () => randomBytes(32),
      onKeys: (managers) => void state.announced.push(managers),
      now: () => state.now,
      pause: async (ms) => void state.pauses.push(ms),
    });
    const byHash = tokens['expiresAt'];
    const tokenByHash = () =>
      byHash === undefined ? undefined : ({ spec: { type: 'admin' as const, expiresAt: byHash } } as never);
    const settings = provider === undefined ? undefined : { id: provider, claims };
    const sessions = createSessions({
      ...{ keys, catalog: { tokenByHash }, provider: settings },
      now: () => START + state.now,
    });
    const tokenIn = async (value: string) => {
      const found = await sessions.credentialsIn(value);
      return found && 'authorization' in found ? found.authorization : found;
    };
    return { ...sessions, keys, tokenIn };
  };
  return { state, replica };
}

const aJwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

const claims = { usernameClaim: 'sub', usernamePrefix: 'oidc:', groupsClaim: 'groups', groupsPrefix: 'oidc:' };

describe('keys', () => {
  test('are created at the start, and who made them is known whenever they are others', async () => {
    const { state, replica } = aNamespace();
    const { keys } = replica();
    await keys.prepare();
    await keys.sealing();
    expect(state.announced).toEqual([['vexil']]);
    // Somebody deletes the Secret and creates another one.
    Object.assign(state, { value: randomBytes(32).toString('base64'), managers: ['kubectl-create'] });
    await keys.sealing();
    await keys.sealing();
    expect(state.announced).toEqual([['vexil'], ['kubectl-create']]);
    await replica().keys.prepare();
    expect(state.announced).toHaveLength(3);
  });
});

describe('sealing', () => {
  const key = sessionKey(randomBytes(32));
  const content = { token: 'secret-token' };
  const schema = z.object({ token: z.string() });
  const purpose: Purpose<typeof content> = { name: 'test 1', schema };

  test('can be undone with the key, and with no other', () => {
    const text = seal(key, purpose, content);
    expect(keyIdOf(text)).toBe(key.id);
    expect(unseal(key, purpose, text)).toEqual(content);
    expect(unseal(sessionKey(randomBytes(32)), purpose, text)).toBeUndefined();
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('secret-token');
  });

  test('is valid for one purpose', () => {
    const text = seal(key, purpose, content);
    expect(unseal(key, { name: 'test 2', schema }, text)).toBeUndefined();
    expect(unseal(key, { name: 'test 1', schema: z.object({ user: z.string() }) }, text)).toBeUndefined();
  });

  test('of the same text twice gives different results', () => {
    expect(seal(key, purpose, content)).not.toBe(seal(key, purpose, content));
  });

  test('detects a change of any byte', () => {
    const bytes = Buffer.from(seal(key, purpose, content), 'base64url');
    for (let index = 8; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(unseal(key, purpose, changed.toString('base64url')), `byte ${index}`).toBeUndefined();
    }
  });

  test.each(['', 'x', 'A'.repeat(48), '%%%'])('of other content is no session: %j', (text) => {
    expect(unseal(key, purpose, text)).toBeUndefined();
  });
});

describe('a session', () => {
  test('lasts twelve hours', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    const { value, endsAt } = await sessions.start('token');
    expect(endsAt).toBe(START + MAX_SESSION_MS);
    state.now = MAX_SESSION_MS - 1;
    expect(await sessions.tokenIn(value)).toBe('token');
    state.now = MAX_SESSION_MS;
    expect(await sessions.tokenIn(value)).toBeUndefined();
  });

  test('ends with its token', async () => {
    const { replica } = aNamespace();
    const expiresAt = new Date(START + HOUR_MS).toISOString();
    expect((await replica({ expiresAt }).start('token')).endsAt).toBe(START + HOUR_MS);
    expect((await replica().start(aJwt({ exp: START / 1000 + 60 }))).endsAt).toBe(START + 60_000);
    expect((await replica().start(aJwt({ exp: START / 1000 + 900_000 }))).endsAt).toBe(START + MAX_SESSION_MS);
  });

  test('of a token that does not fit into a cookie is refused', async () => {
    await expect(aNamespace().replica().start('x'.repeat(2801))).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('the key', () => {
  test('is created once, and opens sessions on every replica', async () => {
    const { replica } = aNamespace();
    const [first, second] = [replica(), replica()];
    const [a, b] = await Promise.all([first.start('a'), second.start('b')]);
    expect([await second.tokenIn(a.value), await first.tokenIn(b.value)]).toEqual(['a', 'b']);
  });

  test('can be rotated: the first line seals, and every line opens', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    const old = await sessions.start('old');
    state.value = `${randomBytes(32).toString('base64')}\n${state.value}\n`;
    const fresh = await sessions.start('fresh');
    expect(keyIdOf(fresh.value)).not.toBe(keyIdOf(old.value));
    expect([await sessions.tokenIn(old.value), await sessions.tokenIn(fresh.value)]).toEqual(['old', 'fresh']);
  });

  test('ends all sessions within a minute when it is deleted', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    const { value } = await sessions.start('token');
    state.value = undefined;
    state.now = MAX_KEY_AGE_MS + 1;
    expect(await sessions.tokenIn(value)).toBeUndefined();
  });

  test('is kept while the API server cannot be reached', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    const { value } = await sessions.start('token');
    state.reachable = false;
    state.now = MAX_KEY_AGE_MS + 1;
    const { reads } = state;
    for (let index = 0; index < 3; index += 1) expect(await sessions.tokenIn(value)).toBe('token');
    expect(state.reads - reads).toBe(1);
    await expect(replica().tokenIn(value)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is kept while the API server does not answer, after a second at most', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    const { value } = await sessions.start('token');
    state.hangs = true;
    state.now = MAX_KEY_AGE_MS + 1;
    expect([await sessions.tokenIn(value), await sessions.tokenIn(value)]).toEqual(['token', 'token']);
    expect(state.pauses).toEqual([1_000]);
  });

  test('that is unknown makes a replica read once a second at most', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica();
    for (let index = 0; index < 50; index += 1) await sessions.tokenIn(randomBytes(60).toString('base64url'));
    expect(state.reads).toBe(1);
  });

  test.each([
    ['', 'it has no keys'],
    ['c2hvcnQ=', 'a line is not the base64 of 32 bytes'],
  ])('that cannot be used (%j) refuses sessions', async (value, why) => {
    const { state, replica } = aNamespace();
    state.value = value;
    await expect(replica().start('token')).rejects.toMatchObject({
      code: 'unavailable',
      message: `Sessions need the Secret home/keys, and its key "keys" cannot be used: ${why}.`,
    });
  });
});

describe('the session of a user of an identity provider', () => {
  const ada = { username: 'oidc:ada', groups: ['oidc:dev', 'system:authenticated'] };

  test('has the user, and ends with the ID token, or after twelve hours', async () => {
    const { state, replica } = aNamespace();
    const sessions = replica({}, 'one');
    const { value, endsAt } = await sessions.startAs(ada, START + HOUR_MS);
    expect([endsAt, await sessions.credentialsIn(value)]).toEqual([START + HOUR_MS, { user: ada }]);
    expect((await sessions.startAs(ada, START + 100 * HOUR_MS)).endsAt).toBe(START + MAX_SESSION_MS);
    state.now = HOUR_MS;
    expect(await sessions.credentialsIn(value)).toBeUndefined();
  });

  test('ends when the settings of the provider change, and is not started without one', async () => {
    const { replica } = aNamespace();
    const { value } = await replica({}, 'one').startAs(ada, START + HOUR_MS);
    expect(await replica({}, 'other').credentialsIn(value)).toBeUndefined();
    expect(await replica().credentialsIn(value)).toBeUndefined();
    await expect(replica().startAs(ada, START + HOUR_MS)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test('is refused if the groups do not fit into a cookie', async () => {
    const groups = Array.from({ length: 200 }, (_, index) => `oidc:group-${index}`);
    const start = aNamespace()
      .replica({}, 'one')
      .startAs({ ...ada, groups }, START + HOUR_MS);
    await expect(start).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('groups') });
  });
});

test.each([
  { username: 'system:admin', groups: [] },
  { username: 'oidc:ada', groups: ['system:authenticated', 'system:masters'] },
  { username: 'system:serviceaccount:home:vexil', groups: ['system:authenticated'] },
  { username: 'kubernetes-admin', groups: [] },
  { username: 'oidc:', groups: [] },
  { username: 'oidc:ada', groups: ['cluster-admins'] },
])('a session sealed with a planted key never makes $username with $groups', async (user) => {
  const sessions = aNamespace().replica({}, 'one');
  const { value } = await sessions.startAs(user, START + HOUR_MS);
  expect(await sessions.credentialsIn(value)).toBeUndefined();
});
