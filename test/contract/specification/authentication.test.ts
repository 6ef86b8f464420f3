/** Chapter "Authentication", with its row of the chapter "Errors". */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../src/http/routes/all.ts';
import { adminClient, type Call } from '../../support/admin-client.ts';
import { type Instance, startInstance } from '../../support/instance.ts';

const TOKEN = `*:*.${'a7'.repeat(28)}`;

let guarded: Instance;
let open: Instance;
let anonymous: Call;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: TOKEN };
  [guarded, open] = await Promise.all([
    startInstance('authentication-token', { settings }),
    startInstance('authentication-none'),
  ]);
  anonymous = adminClient(guarded.url);
});
afterAll(() => Promise.all([guarded.stop(), open.stop()]));

const authentication = { status: 401, name: 'AuthenticationRequired' };

describe('1. Every admin endpoint requires the header Authorization, which carries an admin API token', () => {
  test.each(routes.map(({ method, path }) => [`${method.toUpperCase()} ${path}`]))('%s', async (route) => {
    const { status, body } = await anonymous(route.replaceAll(/:\w+/g, 'some'));
    expect({ status, name: body.name }).toEqual(authentication);
  });
});

test('2. With the none authentication method, no token is needed', async () => {
  expect((await open.call('GET /projects/shop')).status).toBe(200);
  expect((await open.call('POST /projects/shop/features', { body: { name: 'unsigned' } })).status).toBe(201);
});

describe('3. When the header is missing or invalid, the response is 401 with an error body whose name is AuthenticationRequired', () => {
  test.each([
    [
      'missing: the message says that there was no authorization header and suggests logging in at /auth/simple/login',
      {},
      'Your request had no authorization header',
    ],
    [
      'invalid: the same name, and a message that is true of it',
      { authorization: `${TOKEN}0` },
      'The token in the authorization header of your request is not valid',
    ],
  ])('%s', async (_, headers, why) => {
    const { status, body } = await anonymous('GET /projects/shop', { headers });
    expect(status).toBe(401);
    const message = `You must log in to use Vexil. ${why}, so we could not authorize you. Try logging in at /auth/simple/login.`;
    const details = [{ message, description: message }];
    expect(body).toEqual({ id: expect.any(String), name: 'AuthenticationRequired', message, details });
  });
});

test('4. The token is sent as the whole header value', async () => {
  expect((await anonymous('GET /projects/shop', { headers: { authorization: TOKEN } })).status).toBe(200);
});
