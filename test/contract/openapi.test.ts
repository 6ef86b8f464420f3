/** The API document and the page to browse it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeApi } from '../../src/http/route/openapi/describe-api.ts';
import { routes, sections } from '../../src/http/routes/all.ts';
import { clientRoutes } from '../../src/http/routes/client/all.ts';
import { adminClient, type Call, errorBody } from '../support/admin-client.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { sendRaw } from '../support/raw-http.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

let instance: Instance;
/** A caller without a token. */
let call: Call;
/** The same namespace with other settings, without sign-in. */
let open: RunningApp;

beforeAll(async () => {
  const settings = { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: `*:*.${'5f'.repeat(28)}` };
  instance = await startInstance('openapi', { settings });
  call = adminClient(instance.url);
  const [KUBECONFIG, VEXIL_NAMESPACE] = [instance.kubeconfig, instance.home];
  open = await startApp({ KUBECONFIG, VEXIL_NAMESPACE, VEXIL_BODY_LIMIT: '2kB', VEXIL_LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await open.stop();
  await instance.stop();
});

describe('GET /docs/openapi.json', () => {
  test('is OpenAPI 3.1 in the version of the package, and requires no token', async () => {
    const { status, headers, body } = await call('GET //docs/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.openapi).toMatch(/^3\.1\./);
    expect(body.info.version).toBe(version);
  });

  test('has every endpoint, with the callers of each', async () => {
    const { body } = await call('GET //docs/openapi.json');
    const documented = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}');
    const served = [
      ...routes.map(({ method, path }) => `${method} /api/admin${braced(path)}`),
      ...clientRoutes.map(({ method, path }) => `${method} ${braced(path)}`),
    ];
    expect(documented.toSorted()).toEqual(served.toSorted());
    expect(body.components.securitySchemes.token).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
    });
  });

  test('has the maximum length of each list in a body, equal to that of the cluster', async () => {
    const { body } = await call('GET //docs/openapi.json');
    const bounds = new Map<string, unknown>();
    interface Described {
      readonly $ref?: string;
      readonly type?: unknown;
      readonly maxItems?: number;
      readonly properties?: object;
      readonly items?: object;
    }
    const follow = ({ $ref, ...schema }: Described): Described =>
      $ref ? body.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] : schema;
    const collect = (described: Described, name: string) => {
      const schema = follow(described);
      if ([schema.type].flat().includes('array')) bounds.set(name, schema.maxItems);
      if (schema.items) collect(schema.items, name);
      for (const [key, one] of Object.entries(schema.properties ?? {})) collect(one, `${name}/${key}`);
    };
    const base = '/api/admin/projects/{projectId}/features/{featureName}';
    const schemaOf = (path: string, method: string) =>
      body.paths[base + path][method].requestBody.content['application/json'].schema;
    collect(schemaOf('/variants', 'put'), 'variants');
    collect(schemaOf('/environments/{environment}/strategies', 'post'), 'strategy');
    expect(Object.fromEntries(bounds)).toEqual({
      variants: 100,
      'variants/overrides': 100,
      'variants/overrides/values': 250,
      'strategy/constraints': 30,
      'strategy/constraints/values': 250,
      'strategy/variants': 14,
      'strategy/variants/overrides': 100,
      'strategy/variants/overrides/values': 250,
      'strategy/ramp/steps': 20,
      'strategy/segments': 5,
    });
  });

  test('is independent of all settings', async () => {
    const { body } = await adminClient(open.url)('GET //docs/openapi.json');
    expect(body).toEqual(JSON.parse(JSON.stringify(describeApi(sections, version))));
    expect(body).toEqual((await call('GET //docs/openapi.json')).body);
  });

  test('has a strong ETag, answers 304 to a request with it, and HEAD without a body', async () => {
    const etag = (await call('GET //docs/openapi.json')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const fresh = await call('GET //docs/openapi.json', { headers: { 'if-none-match': etag } });
    expect([fresh.status, fresh.text]).toEqual([304, '']);
    const head = await call('HEAD //docs/openapi.json');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
  });
});

describe('GET /docs', () => {
  /** The links of the page, as a browser resolves them. */
  const linksOf = (html: string, base: string) =>
    [...html.matchAll(/(?:src|href)="([^"]*)"/g)]
      .map(([, link = '']) => new URL(link, base))
      .filter(({ protocol }) => protocol !== 'data:');

  test('is a page whose every link is served here', async () => {
    const { status, headers, text } = await call('GET //docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = linksOf(text, `${instance.url}/docs`);
    expect(links.map(({ pathname }) => pathname)).toEqual([
      '/docs/swagger-ui.css',
      '/docs/openapi.json',
      '/docs/swagger-ui-bundle.js',
      '/docs/start.js',
    ]);
    for (const link of links) expect([link.href, (await fetch(link)).status]).toEqual([link.href, 200]);
  });

  test('loads nothing from elsewhere: no absolute URL, and a policy that lets the browser load none', async () => {
    const pages = ['GET //docs', 'GET //docs/start.js'].map(async (request) => (await call(request)).text);
    for (const text of await Promise.all(pages)) expect(text).not.toMatch(/https?:|\/\//);
    const styles = (await call('GET //docs/swagger-ui.css')).text;
    expect(styles.match(/@import.{0,50}/g)).toBeNull();
    const loaded = [...styles.matchAll(/url\(\s*["']?([^"')]{0,50})/g)].map(([, place = '']) => place);
    expect(loaded.filter((place) => !place.startsWith('data:'))).toEqual([]);
    const policy = (await call('GET //docs')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    for (const [, sources] of policy.matchAll(/-src ([^;]*)/g)) expect(sources).toMatch(/^('none'|'self'( data:)?)$/);
  });

  test('its script sends the document to no validator', async () => {
    expect((await call('GET //docs/start.js')).text).toContain('validatorUrl: null');
  });

  test('its links are relative, so it works behind a path prefix too', async () => {
    const { text } = await call('GET //docs');
    for (const { pathname } of linksOf(text, 'https://flags.example/behind/proxy/docs')) {
      expect(pathname).toMatch(/^\/behind\/proxy\/docs\//);
    }
    const slash = await fetch(`${instance.url}/docs/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '../docs']);
    const { servers } = (await call('GET //docs/openapi.json')).body;
    const server = new URL(servers[0].url, 'https://flags.example/behind/proxy/docs/openapi.json');
    expect(server.pathname).toBe('/behind/proxy/');
  });

  test.each([
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ])('%s is requested again only when its version changes', async (path, type) => {
    const first = await call(`GET /${path}`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, type]);
    expect(first.headers.get('last-modified')).toBeNull();
    const etag = first.headers.get('etag') ?? '';
    const revalidate = async (tag: string) => {
      // A browser sends these headers; `fetch` would also ask for an answer that is not from a cache.
      const headers = { 'if-none-match': tag, 'cache-control': 'max-age=0' };
      return (await call(`GET /${path}`, { headers })).status;
    };
    expect([await revalidate(etag), await revalidate('"0.0.0"')]).toEqual([304, 200]);
  });

  test.each([
    'GET //docs/index.html',
    'GET //docs/package.json',
    'GET //docs/swagger-ui.js',
    'GET //docs/swagger-ui-bundle.js.map',
    'GET //docs/..%2fpackage.json',
    'GET //Docs',
    'POST //docs',
    'PUT //docs/openapi.json',
  ])('%s: 404 with the error body', async (request) => {
    const { status, body } = await call(request);
    expect([status, errorBody.safeParse(body).error?.issues ?? []]).toEqual([404, []]);
  });

  test('answers of the admin API have no policy for pages', async () => {
    expect((await call('GET /projects')).headers.get('content-security-policy')).toBeNull();
  });

  test('if only this machine is served, so is the document', async () => {
    const lines = ['GET /docs HTTP/1.1', 'Host: example.com', 'Connection: close', '', ''];
    const { status } = await sendRaw(open.url, lines.join('\r\n'));
    expect(status).toBe(403);
  });
});
