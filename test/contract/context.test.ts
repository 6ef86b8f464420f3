/** Context fields: the built-in ones, those of the configuration, and no writes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/instance.ts';

const region = { name: 'region', legalValues: [{ value: 'eu', description: 'Europe' }, { value: 'us' }] };
/** The field as Unleash answers it. */
const userId = { name: 'userId', description: 'Ours', stickiness: true, sortOrder: 7, createdAt: null };

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('context', { settings: { VEXIL_CONTEXT_FIELDS: JSON.stringify([region, userId]) } });
});
afterAll(() => instance.stop());

test('GET /context: the built-in fields, then those of the setting; one of the same name replaces a built-in one', async () => {
  const { status, body } = await instance.call('GET /context');
  expect(status).toBe(200);
  expect(body.map(({ name }: { name: string }) => name)).toEqual([
    ...['environment', 'userId', 'sessionId', 'appName', 'currentTime', 'remoteAddress'],
    'region',
  ]);
  expect(body[1]).toEqual({ name: 'userId', description: 'Ours', stickiness: true, sortOrder: 1, legalValues: [] });
  expect(body[6]).toEqual({ ...region, description: null, stickiness: false, sortOrder: 6 });
});

test('GET /context/:contextField: one of them, or 404', async () => {
  const { body } = await instance.call('GET /context/region');
  expect(body).toEqual({ ...region, description: null, stickiness: false, sortOrder: 6 });
  const missing = await instance.refuses('GET /context/no-such', { status: 404, name: 'NotFoundError' });
  expect(missing).toBe('Could not find Context field with name no-such.');
});

test.each([
  'POST /context',
  'POST /context/validate',
  'PUT /context/region',
  'DELETE /context/region',
  'POST /context/region/legal-values',
])('%s: 403 with the setting to change', async (request) => {
  const refused = { status: 403, name: 'OperationDeniedError', body: { name: 'region' } };
  expect(await instance.refuses(request, refused)).toContain('VEXIL_CONTEXT_FIELDS');
});

test('reads of missing fields stay 404', async () => {
  await instance.refuses('GET /context/region/strategies', { status: 404, name: 'NotFoundError' });
});
