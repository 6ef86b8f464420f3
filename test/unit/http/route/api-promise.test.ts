/** The contract tests detect an undocumented answer. */
import { describe, expect, test } from 'vitest';
import { describeApi } from '../../../../src/http/route/openapi/describe-api.ts';
import { sections } from '../../../../src/http/routes/all.ts';
import { type Exchange, promiseOf } from '../../../support/api-promise.ts';

const complaintsAbout = promiseOf(describeApi(sections, '1.2.3'));

const common = { 'x-request-id': 'r', 'cache-control': 'no-store' };
const headers = { ...common, etag: '"e"', 'content-type': 'application/json; charset=utf-8' };
const list = { version: 1, environments: [] };
const error = {
  id: '2f1b9c1e-8f5a-4f0e-9a53-6d2f0f2a7c11',
  name: 'PermissionError',
  message: 'm',
  details: [{ message: 'm', description: 'm' }],
};
const PATH = '/api/admin/environments';

interface Answer extends Partial<Omit<Exchange, 'headers'>> {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const about = ({ body = list, ...said }: Answer) =>
  complaintsAbout({
    method: 'GET',
    path: PATH,
    status: 200,
    text: body === undefined ? '' : JSON.stringify(body),
    ...said,
    headers: new Headers(said.headers ?? headers),
  });

const { etag: _, ...withoutEtag } = headers;
const event = {
  ...{ id: 1, createdAt: '2026-03-01T09:30:00.000Z', type: 'feature-created', createdBy: 'ada', createdByUserId: 7 },
  ...{ environment: null, project: null, featureName: null, data: null, preData: null, tags: [], ip: null },
  ...{ channel: null, fieldManager: null, reason: null },
  ...{ label: 'l', summary: 's' },
};
/** An answer of an endpoint that answers line by line. */
const lines = (...texts: readonly string[]): Answer => ({
  path: '/api/admin/search/events/export',
  text: texts.join(''),
  headers: { ...common, 'content-type': 'application/x-ndjson' },
});
const line = `${JSON.stringify(event)}\n`;
const item = {
  name: 'e',
  displayName: 'E',
  type: 'development',
  enabled: true,
  protected: false,
  sortOrder: 1,
  freeze: null,
  projectCount: 0,
  apiTokenCount: 0,
  enabledToggleCount: 0,
};

describe('as documented', () => {
  test.each<[string, Answer]>([
    ['a success', {}],
    ['with an item', { body: { ...list, environments: [item] } }],
    ['no line', lines()],
    ['several lines', lines(line, line)],
    ['a slash at the end', { path: `${PATH}/` }],
    ['a refusal', { status: 403, body: error }],
    ['a refusal with a hint when to try again', unavailable({ 'retry-after': '1' })],
    ['HEAD', { method: 'HEAD', text: '' }],
    ['not modified', { status: 304, text: '' }],
    ['OPTIONS', { method: 'OPTIONS', status: 204, text: '', headers: { ...headers, allow: 'GET' } }],
    [
      'a path that is not there',
      { path: '/api/admin/no-such', status: 404, body: { ...error, name: 'NotFoundError' } },
    ],
    ['success without a body', { method: 'DELETE', path: '/api/admin/archive/f', text: '' }],
  ])('%s', (_, answer) => {
    expect(about(answer)).toEqual([]);
  });
});

function unavailable(more: Record<string, string>): Answer {
  return { status: 503, body: { ...error, name: 'UnavailableError' }, headers: { ...headers, ...more } };
}

describe('not as documented', () => {
  test.each<[string, Answer, string]>([
    ['a status that the endpoint does not have', { status: 201 }, 'has the status 201, and not one of 200, 304, 401'],
    ['a refusal that the endpoint does not have', { status: 404, body: error }, 'has the status 404'],
    ['a name that the status does not have', { status: 403, body: { ...error, name: 'NotFoundError' } }, '/name'],
    ['an error with more', { status: 403, body: { ...error, stack: 's' } }, 'stack'],
    ['an error with less', { status: 403, body: { ...error, details: [] } }, '/details'],
    ['an id that is none', { status: 403, body: { ...error, id: '7' } }, '/id'],
    ['a line with a field too many', lines(line, JSON.stringify({ ...event, more: 1 }), '\n'), 'more'],
    ['an empty line', lines(line, '\n', line), 'not JSON'],
    ['a line that is cut off', lines(line, line.slice(0, 40)), 'not JSON'],
    ['lines where they are not promised', { ...lines(line), path: PATH }, 'content type application/x-ndjson'],
    ['a field too many', { body: { ...list, more: 1 } }, 'more'],
    ['a field too few', { body: { version: 1 } }, 'environments'],
    ['a field of the wrong type', { body: { ...list, version: '1' } }, '/version'],
    ['a field too many in an item', { body: { ...list, environments: [{ ...item, more: 1 }] } }, '/environments/0'],
    ['a number out of its range', { body: { ...list, environments: [{ ...item, sortOrder: -1 }] } }, 'sortOrder'],
    ['another content type', { headers: { ...headers, 'content-type': 'text/html' } }, 'is of content type text/html'],
    ['no JSON', { text: '<html>' }, 'has a body that is not JSON'],
    ['no ETag', { headers: withoutEtag }, 'has no ETag'],
    ['a weak ETag', { headers: { ...headers, etag: 'W/"e"' } }, 'has the ETag W/"e"'],
    ['no id of the request', { headers: { ...headers, 'x-request-id': '' } }, 'has the X-Request-Id'],
    [
      'an answer that a cache may keep',
      { headers: { ...headers, 'cache-control': 'private' } },
      'has the Cache-Control',
    ],
    ['no hint when to try again', unavailable({}), 'has no Retry-After'],
    ['a hint that is no number', unavailable({ 'retry-after': 'soon' }), 'has the Retry-After soon'],
    ['HEAD with a body', { method: 'HEAD' }, 'has a body'],
    ['a body where there is none', { method: 'DELETE', path: '/api/admin/archive/f' }, 'has a body'],
    ['not modified with a body', { status: 304 }, 'has a body'],
    ['success at a path that is not there', { path: '/api/admin/no-such' }, 'there is no such endpoint'],
    ['success with a method that is not there', { method: 'PUT' }, 'there is no such endpoint'],
    ['OPTIONS that does not say what is allowed', { method: 'OPTIONS', status: 204, text: '' }, 'OPTIONS'],
    ['an unknown path with another body', { path: '/api/admin/no-such', status: 404, body: {} }, 'id'],
  ])('%s', (_, answer, words) => {
    expect(about(answer).join('; ')).toContain(words);
  });
});
