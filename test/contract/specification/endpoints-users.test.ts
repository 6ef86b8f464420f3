/** Chapter "Endpoints", users: row 22 with its limit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aUser } from '../../support/builders.ts';
import { waitUntil } from '../../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import type { Stored } from '../../support/stored.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('endpoints-users');
  const { home } = instance;
  await instance.apply(
    aUser(`${home}/ada`, { displayName: 'Ada Ahlgren', email: 'countess@example.com' }),
    aUser(`${home}/lin`, { displayName: 'Lin Castillo', email: 'lin@example.com' }),
  );
  await waitUntil({ what: 'both are users' }, async () => {
    return (await instance.call('GET /user-admin')).body.users.length === 2;
  });
});
afterAll(() => instance.stop());

const search = (q: string) => instance.call(`GET /user-admin/search?q=${encodeURIComponent(q)}`);
const found = async (q: string) => (await search(q)).body.users.map(({ username }: Stored) => username);

describe('22. GET /user-admin/search', () => {
  test.each([
    ['name', 'ahlgren', ['ada']],
    ['e-mail', 'lin@example', ['lin']],
    ['either', 'example.com', ['ada', 'lin']],
    ['neither', 'grace', []],
  ])('the pattern is matched against name and e-mail: %s', async (_, q, want) => {
    expect(await found(q)).toEqual(want);
  });

  test('200: users response', async () => {
    const { status, body } = await search('ada');
    expect(status).toBe(200);
    expect(body).toEqual({
      users: [expect.objectContaining({ name: 'Ada Ahlgren', email: 'countess@example.com' })],
      rootRoles: ['Admin', 'Editor', 'Viewer'].map((name) => expect.objectContaining({ name })),
    });
  });
});

describe('Limit', () => {
  test('user search query length: minimum 2 characters', async () => {
    expect([await found('a'), await found('ad')]).toEqual([[], ['ada']]);
    expect((await search('a')).status).toBe(200);
  });
});
