/**
 * The rows of the specification that have no test, each with what it waits for; whoever builds that fails here.
 *
 * Two rows have none for another reason. "Versioning" 1 (available since version 4.3) tells of the past, and that endpoint 16
 * is no longer maintained asks for nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, startInstance } from '../../support/instance.ts';

/** Below /api/admin, by their number. */
const endpoints: Readonly<Record<number, string>> = {
  23: 'GET /state/export',
  24: 'POST /state/import',
};

/** By the reason; each row with the endpoint without which it cannot be seen. */
const gaps: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  'State: flags go in and out by kubectl and Git alone': [
    ['Endpoint 23: GET /state/export', 23],
    ['Endpoint 24: POST /state/import', 24],
    ['What the service does, 9: a deprecated state export/import API exists', 23],
    ['State export/import document: every field', 23],
    ['Error 400: import failure', 24],
    ['Versioning, 3: the state API is deprecated', 23],
    ['Versioning, 4: version is a number in the state document', 23],
  ],
};

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('not-yet');
});
afterAll(() => instance.stop());

describe.each(Object.entries(gaps))('Not there yet. %s', (_, rows) => {
  test.each(rows)('%s (endpoint %i answers 404)', async (_row, endpoint) => {
    const request = endpoints[endpoint] ?? '';
    const [, path] = request.split(/[ ?]/);
    const message = await instance.refuses(request, { status: 404, name: 'NotFoundError' });
    expect(message).toContain(`/api/admin${path}`);
  });
});
