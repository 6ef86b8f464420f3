/** The rules for every request, independent of its endpoint. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/http/routes/all.ts';
import { adminClient, errorBody } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/raw-http.ts';
import { readMetric } from '../support/read-metric.ts';
import { startApp } from '../support/running-app.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('edge');
  await instance.apply(aFlag(`${instance.home}/here`));
});
afterAll(() => instance.stop());

const request = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n');
const LOCAL = 'Host: 127.0.0.1';
const CLOSE = 'Connection: close';

describe('routes', () => {
  test.each([
    'POST //',
    'GET //nothing/here',
    'POST //health',
    'GET //api/admin',
    'GET //api/admin/no-such',
    'GET //api/admin/Projects',
    'GET //api/client/nothing',
    'PUT //api/admin/projects',
    'PUT //api/admin/projects/shop/features',
    'PATCH //api/admin/projects/shop',
    'GET //api/admin/projects/shop/features/here/clone',
  ])('%s does not exist: 404 with the error body, naming the path', async (line) => {
    const { status, body } = await instance.call(line);
    expect(errorBody.safeParse(body).success).toBe(true);
    expect([status, body.name]).toEqual([404, 'NotFoundError']);
    expect(body.message).toContain(`("${line.split(' /')[1]}")`);
  });

  test('GET /health says GOOD, with HEAD as well', async () => {
    const { status, body } = await instance.call('GET //health');
    expect([status, body]).toEqual([200, { health: 'GOOD' }]);
    expect((await instance.call('HEAD //health')).status).toBe(200);
  });

  test('repeated slashes count as one; a slash at the end is ignored; slashes in the query stay', async () => {
    const { text } = await instance.call('GET /projects/shop/features');
    expect((await instance.call('GET ///api///admin//projects/shop//features')).text).toBe(text);
    expect((await instance.call('GET /projects/shop/features/')).text).toBe(text);
    await instance.apply(aFlag(`${instance.home}/linked`, { tags: ['link:a//b'] }));
    const { body } = await instance.call('GET //api//admin/projects/shop/features?tag=link:a//b');
    expect(body.features).toMatchObject([{ name: 'linked' }]);
  });

  test('a path may have the address before it, as for a proxy', async () => {
    const line = `GET ${instance.url}/api/admin/projects/shop/features/here HTTP/1.1`;
    const { status, body } = await sendRaw(instance.url, request(line, LOCAL, CLOSE));
    expect([status, body.name]).toEqual([200, 'here']);
  });

  test('dryRun after a thousand other parameters is still read', async () => {
    const others = Array.from({ length: 1500 }, (_, n) => `p${n}=`).join('&');
    const call = `DELETE /projects/shop/features/here?${others}&dryRun=true`;
    expect((await instance.untouched(call)).status).toBe(202);
  });

  test('a path segment that is no percent-encoded UTF-8: 400', async () => {
    for (const segment of ['%', '%ZZ', '%C3', '%E0%A4', '%FF']) {
      for (const path of [
        `/projects/${segment}`,
        `/projects/shop/features/${segment}`,
        `/archive/features/${segment}`,
      ]) {
        const message = await instance.refuses(`GET ${path}`, { status: 400, name: 'ValidationError' });
        expect(message).toContain('percent-encoded');
      }
    }
  });

  test('a percent-encoded letter equals the letter; an encoded slash separates nothing', async () => {
    expect((await instance.call('GET /projects/sh%6Fp/features/%68ere')).body.name).toBe('here');
    await instance.refuses('GET /projects/shop%2Ffeatures', { status: 404, name: 'NotFoundError' });
  });
});

describe('HEAD and OPTIONS', () => {
  test('HEAD answers as GET without the body, ETag and length included', async () => {
    for (const path of ['/projects', '/projects/shop', '/projects/shop/features/here', '/environments']) {
      const [head, get] = [await instance.call(`HEAD ${path}`), await instance.call(`GET ${path}`)];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'content-type', 'content-length']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      const headers = { 'if-none-match': get.headers.get('etag') ?? '' };
      expect((await instance.call(`HEAD ${path}`, { headers })).status).toBe(304);
    }
  });

  test('HEAD of a missing object: 404 without a body', async () => {
    const { status, text } = await instance.call('HEAD /projects/no-such');
    expect([status, text]).toEqual([404, '']);
  });

  test.each([
    ['/projects', 'GET, POST, HEAD, OPTIONS'],
    ['/projects/shop/features', 'GET, POST, HEAD, OPTIONS'],
    ['/projects/shop/features/here', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/projects/shop/features/here/clone', 'POST, OPTIONS'],
    ['/archive/revive/here', 'POST, OPTIONS'],
    ['/archive/here', 'DELETE, OPTIONS'],
    ['/archive/features', 'GET, HEAD, DELETE, OPTIONS'],
    [
      '/projects/shop/features/here/environments/production/strategies/set-sort-order',
      'POST, GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    ],
  ])('OPTIONS %s: 204 with Allow', async (path, allow) => {
    const { status, text, headers } = await instance.call(`OPTIONS ${path}`);
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(allow.split(', ').toSorted());
  });

  test('OPTIONS answers for every route with its method', async () => {
    for (const { method, path } of routes) {
      const { status, headers } = await instance.call(`OPTIONS ${path.replace(/:\w+/g, 'x')}`);
      expect([path, status]).toEqual([path, 204]);
      expect(headers.get('allow')).toContain(method.toUpperCase());
    }
  });

  test('OPTIONS of an unknown route: 404', async () => {
    expect((await instance.call('OPTIONS /no-such')).status).toBe(404);
  });
});

describe('headers', () => {
  test('X-Request-Id is returned, also by refusals, and is the id of the log line', async () => {
    const headers = { 'x-request-id': 'trace-1:a.b_c' };
    for (const line of ['GET /projects', 'DELETE /projects/shop/features/no-such', 'GET //no-such']) {
      const answer = await instance.call(line, { headers });
      expect(answer.headers.get('x-request-id')).toBe('trace-1:a.b_c');
    }
    expect(instance.log).toContainEqual(expect.objectContaining({ requestId: 'trace-1:a.b_c', status: 404 }));
  });

  test.each([
    ['none', {}],
    ['one with other characters', { 'x-request-id': 'a b"c' }],
    ['one that is too long', { 'x-request-id': 'x'.repeat(129) }],
  ])('%s: a new id, another each time', async (_, headers) => {
    const ids = [
      (await instance.call('GET /projects', { headers })).headers.get('x-request-id'),
      (await instance.call('GET /projects', { headers })).headers.get('x-request-id'),
    ];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });

  test('answers are JSON in UTF-8, errors too, and do not name the server software', async () => {
    for (const line of ['GET /projects', 'GET /projects/no-such']) {
      const { headers } = await instance.call(line);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('without accepted anonymous access the server answers only this machine, and no page of another site', async () => {
    const app = await startApp({ KUBECONFIG: instance.kubeconfig, VEXIL_NAMESPACE: instance.home });
    try {
      await app.ready();
      const call = adminClient(app.url);
      const statusWith = async (headers: Record<string, string>, line = 'GET /projects') =>
        (await call(line, { headers })).status;
      expect(await statusWith({ origin: app.url, 'sec-fetch-site': 'same-origin' })).toBe(200);
      expect(await statusWith({ 'sec-fetch-site': 'none' })).toBe(200);
      // Another server on this machine may serve pages of any origin, which need no preflight to post.
      const switchOff = 'POST /projects/shop/features/here/environments/production/off';
      for (const headers of [
        { origin: 'http://localhost:3000' },
        { origin: 'http://127.0.0.1' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site', referer: 'https://example.com/' },
      ]) {
        expect([headers, await statusWith(headers, switchOff)]).toEqual([headers, 403]);
      }
      // A link to the API document is followed with headers that `fetch` cannot send.
      const followed = [`Host: ${new URL(app.url).host}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'];
      const statusOf = async (line: string) => (await sendRaw(app.url, request(line, ...followed, CLOSE))).status;
      expect(await statusOf('GET /docs HTTP/1.1')).toBe(200);
      expect(await statusOf(`${switchOff.replace(' ', ' /api/admin')} HTTP/1.1`)).toBe(403);
      for (const line of ['GET /projects', 'POST /projects/shop/features', 'GET //docs', 'DELETE /no-such']) {
        const foreign = await call(line, { headers: { origin: 'https://example.com' } });
        expect([line, foreign.status, foreign.body.name]).toEqual([line, 403, 'PermissionError']);
      }
      expect((await call('GET /projects', { headers: { origin: 'null' } })).status).toBe(403);
      const asking = request('GET /api/admin/projects HTTP/1.1', 'Host: example.com', CLOSE);
      const rebound = await sendRaw(app.url, asking);
      expect([rebound.status, rebound.body.name]).toEqual([403, 'PermissionError']);
      const withScheme = request('GET /api/admin/projects HTTP/1.1', 'Host: http://localhost', CLOSE);
      expect((await sendRaw(app.url, withScheme)).status).toBe(403);
      const metricsOf = (host: string) => sendRaw(app.opsUrl, request('GET /metrics HTTP/1.1', `Host: ${host}`, CLOSE));
      expect((await metricsOf('example.com:8081')).status).toBe(403);
      // Probes and Prometheus connect to the address of the pod.
      for (const host of ['localhost:8081', '127.0.0.1', '10.1.2.3:8081', '[fd00::1]:8081']) {
        expect([host, (await metricsOf(host)).status]).toEqual([host, 200]);
      }
    } finally {
      await app.stop();
    }
  });
});

describe('malformed HTTP', () => {
  test('headers that are too large: 413 with the error body', async () => {
    const huge = `X-Huge: ${'h'.repeat(40_000)}`;
    const answer = await sendRaw(instance.url, request('GET /api/admin/projects HTTP/1.1', LOCAL, huge, CLOSE));
    expect([answer.status, answer.body.name]).toEqual([413, 'PayloadTooLargeError']);
    expect(errorBody.safeParse(answer.body).success).toBe(true);
  });

  test.each([
    ['no HTTP', request('hello')],
    ['a header with a control character', request('GET / HTTP/1.1', LOCAL, 'X-Odd: a\u0001b', CLOSE)],
    ['two lengths', request('POST / HTTP/1.1', LOCAL, 'Content-Length: 1', 'Content-Length: 2', CLOSE)],
    ['length and chunks', request('POST / HTTP/1.1', LOCAL, 'Content-Length: 1', 'Transfer-Encoding: chunked', CLOSE)],
    ['a version that there is not', request('GET / HTTP/9.9', LOCAL, CLOSE)],
  ])('%s: 400 with the error body, and the connection ends', async (_, bytes) => {
    const answer = await sendRaw(instance.url, bytes);
    expect([answer.status, answer.body?.name]).toEqual([400, 'ValidationError']);
    expect(errorBody.safeParse(answer.body).success).toBe(true);
  });

  test.each([
    ['no Host header', []],
    ['two Host headers', [LOCAL, LOCAL]],
  ])('%s: 400 with the error body', async (_, hosts) => {
    const { status, body } = await sendRaw(instance.url, request('GET /api/admin/projects HTTP/1.1', ...hosts, CLOSE));
    expect([status, body?.name]).toEqual([400, 'ValidationError']);
  });

  const answersIn = ({ head, text }: { head: string; text: string }) => `${head}${text}`.match(/HTTP\/1\.1 \d{3}/g);

  test.each([
    ['of a path that is not there', request('POST /nope HTTP/1.1', LOCAL, 'Transfer-Encoding: xchunked'), '0\r\n\r\n'],
    ['of an endpoint', request('POST /api/admin/no HTTP/1.1', LOCAL, 'Transfer-Encoding: xchunked'), '0\r\n\r\n'],
    ['of chunks', request('POST /nope HTTP/1.1', LOCAL, 'Transfer-Encoding: chunked'), 'zz\r\n'],
    ['of two encodings', request('POST /nope HTTP/1.1', LOCAL, 'Transfer-Encoding: chunked, x'), '0\r\n\r\n'],
  ])('a body %s that cannot be read gets one answer, and the connection ends', async (_, head, body) => {
    const answer = await sendRaw(instance.url, `${head}${body}${request('GET /health HTTP/1.1', LOCAL)}`);
    expect(answersIn(answer)).toHaveLength(1);
    expect([400, 404]).toContain(answer.status);
  });

  test('answers that no endpoint makes are not cached either', async () => {
    const two = ['Authorization: one', 'Authorization: two'];
    for (const bytes of [
      request('hello'),
      request('GET /api/admin/projects HTTP/1.1', LOCAL, ...two, CLOSE),
      request('GET /api/admin/no-such HTTP/1.1', LOCAL, CLOSE),
      request('OPTIONS /api/admin/projects HTTP/1.1', LOCAL, CLOSE),
    ]) {
      expect((await sendRaw(instance.url, bytes)).head).toContain('Cache-Control: no-store');
    }
  });

  test('the server still answers after all of that', async () => {
    expect((await instance.call('GET /projects/shop')).status).toBe(200);
  });
});

test('a change whose caller has gone is in the log and in the metrics, with status 499', async () => {
  await instance.apply(aFlag(`${instance.home}/watched`));
  const { hostname, port } = new URL(instance.url);
  const path = '/api/admin/projects/shop/features/watched';
  const body = JSON.stringify([{ op: 'replace', path: '/description', value: 'by a caller who has gone' }]);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  const line = await waitUntil({ what: 'the request is in the log' }, () =>
    instance.log.find((one) => one['msg'] === 'http: request answered' && one['path'] === path),
  );
  expect(line).toMatchObject({ method: 'PATCH', status: 499 });
  const route = '/projects/:projectId/features/:featureName';
  const series = `vexil_http_request_duration_seconds_count{method="PATCH",route="${route}",status="499"}`;
  expect(await readMetric(instance.opsUrl, series)).toBe(1);
});
