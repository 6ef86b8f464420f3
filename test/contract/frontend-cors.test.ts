/** Pages of other origins: allowed ones may call the frontend API and OFREP, and none may call any other endpoint. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientRoutes } from '../../src/http/routes/client/all.ts';
import { adminClient } from '../support/admin-client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Operator, startOperator } from '../support/operator.ts';
import { tokenValue } from '../support/sdk-world.ts';

const PAGE = 'https://shop.example.com';
const ONE_DAY = '86400';
const settings = { VEXIL_AUTH: 'token' };
let instance: Instance;
let limited: Operator;
let token: string;

beforeAll(async () => {
  instance = await startInstance('frontend-cors', { settings });
  token = await tokenValue(instance, 'page', { type: 'frontend' });
  limited = await startOperator(instance.cluster, instance.home, {
    watched: [instance.other],
    settings: { ...settings, VEXIL_FRONTEND_ORIGINS: `${PAGE},https://example.com` },
  });
});
afterAll(async () => {
  await limited.stop();
  await instance.stop();
});

const isPublic = (path: string) => path.startsWith('/api/frontend') || path.startsWith('/ofrep/');
const paths = [...new Set(clientRoutes.map(({ path }) => path.replace(/:\w+/, 'plain')))];

function preflight(url: string, path: string, origin = PAGE) {
  const headers = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization,unleash-appname',
  };
  return adminClient(url)(`OPTIONS /${path}`, { headers });
}

const allowed = (headers: Headers) => headers.get('access-control-allow-origin');

describe('if every origin is allowed', () => {
  test.each(paths.filter(isPublic))('%s answers the preflight, without a token', async (path) => {
    const { status, headers, text } = await preflight(instance.url, path);
    expect([status, text, allowed(headers)]).toEqual([204, '', '*']);
    expect(headers.get('access-control-allow-headers')).toBe('authorization,unleash-appname');
    const methods = clientRoutes
      .filter((one) => one.path.replace(/:\w+/, 'plain') === path)
      .map(({ method }) => method);
    expect(headers.get('access-control-allow-methods')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(methods),
    );
    expect(headers.get('access-control-max-age')).toBe(ONE_DAY);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test.each([...paths.filter((path) => !isPublic(path)), '/api/admin/projects', '/health', '/docs'])(
    '%s is readable by no page of another origin',
    async (path) => {
      const { headers } = await preflight(instance.url, path);
      const answer = await adminClient(instance.url)(`GET /${path}`, { headers: { origin: PAGE } });
      for (const one of [headers, answer.headers]) {
        expect([...one.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    },
  );

  test('answers and errors can be read by the page, and the ETag too', async () => {
    for (const authorization of [token, 'wrong']) {
      const call = adminClient(instance.url, { authorization, origin: PAGE });
      const { headers } = await call('GET //api/frontend');
      expect(allowed(headers)).toBe('*');
      expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('ETag');
    }
  });

  test('an invalid header name is not repeated', async () => {
    const headers = { origin: PAGE, 'access-control-request-headers': 'x{y}' };
    const answer = await adminClient(instance.url)('OPTIONS //api/frontend', { headers });
    expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([204, null]);
  });
});

describe('if some origins are allowed', () => {
  test.each([
    [PAGE, PAGE],
    ['https://example.com', 'https://example.com'],
    ['https://evil.example.com', null],
    ['http://shop.example.com', null],
    ['null', null],
  ])('%s is answered %s', async (origin, expected) => {
    const asked = await preflight(limited.url, '/api/frontend', origin);
    const answer = await adminClient(limited.url, { authorization: token, origin })('GET //api/frontend');
    expect([asked.status, allowed(asked.headers)]).toEqual([204, expected]);
    expect([answer.status, allowed(answer.headers)]).toEqual([200, expected]);
    expect(answer.headers.get('vary')?.split(', ')).toContain('Origin');
  });
});
