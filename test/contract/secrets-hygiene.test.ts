/** A value of a token is only in its Secret, after every operation and every failure. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { kinds } from '../../src/schema/kinds.ts';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aSink, aUser } from '../support/builders.ts';
import { environmentOfChart } from '../support/chart/environment-of-chart.ts';
import { sharedCluster } from '../support/cluster.ts';
import type { AnyObject } from '../support/control-plane/access.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Fault, lostAnswer, refusal, reset } from '../support/fault-proxy/faults.ts';
import { proxiedKubeconfig, proxyFor } from '../support/fault-proxy/proxied-kubeconfig.ts';
import { expectFired, on } from '../support/fault-proxy/report.ts';
import type { FaultProxy } from '../support/fault-proxy/start-fault-proxy.ts';
import { cutMidFrame, errorFrame } from '../support/fault-proxy/watch-faults.ts';
import { recordedIn, traitsOf } from '../support/leaked-secrets.ts';
import { type OperatorProgram, startOperatorProgram } from '../support/operator-program.ts';
import { grantOperatorRoles, grantReviews } from '../support/operator-roles.ts';
import { createSinkSecret } from '../support/sink-secret.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

const hex = () => randomBytes(28).toString('hex');

/** Every token value of the run, by its origin. */
const values: Record<string, string> = {
  bootstrap: `*:*.${hex()}`,
  // The value as users create it.
  'from a labelled Secret': randomBytes(32).toString('base64'),
  'wrong, like an admin token': `*:*.${hex()}`,
  'wrong, like a client token': `shop:production.${hex()}`,
  'wrong, like a personal token': `user:${hex()}`,
  'wrong, like a token of Kubernetes': ['{"alg":"RS256"}', '{"aud":["vexil"],"sub":"x"}', hex()]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.'),
};
const bootstrap = values['bootstrap'] ?? '';
/** The origins of one value of each form. */
const ofEachForm = [
  ...['bootstrap', 'from a labelled Secret', 'generated, client', 'generated, personal'],
  ...['wrong, like a token of Kubernetes', 'editor of Kubernetes'],
];

interface AuditEvent {
  readonly request: string;
  readonly text: string;
  readonly status: number;
  /** The value that the sender put into the path, the query or the body. The answer may repeat it. */
  readonly echo: string | undefined;
}

const cluster = sharedCluster();
const lines: string[] = [];
const answers: AuditEvent[] = [];
let home: string;
let proxy: FaultProxy;
let program: OperatorProgram;
let url: string;
let opsUrl: string;
let tokens: TokensDirectly;

beforeAll(async () => {
  home = await cluster.freshNamespace('hygiene');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  values["the operator's own"] = parse(await readFile(kubeconfig, 'utf8')).users[0].user.token;
  await grantReviews(cluster, home);
  proxy = await proxyFor(cluster);
  const environment = await environmentOfChart(home, {
    settings: {
      VEXIL_AUTH: 'token',
      VEXIL_ADMIN_TOKEN: bootstrap,
      VEXIL_LOG_LEVEL: 'debug',
      VEXIL_TRUST_PROXY: '1',
      VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1',
      VEXIL_SINK_STATUS_INTERVAL: '100ms',
      // Each call is reviewed, on a machine that may be busy.
      VEXIL_REVIEW_TIMEOUT: '30s',
    },
  });
  program = startOperatorProgram({
    onLine: (line) => lines.push(line),
    settings: { ...environment, KUBECONFIG: await proxiedKubeconfig(proxy, kubeconfig) },
  });
  const { httpPort, opsPort } = await program.listening;
  url = `http://127.0.0.1:${httpPort}`;
  opsUrl = `http://127.0.0.1:${opsPort}`;
  tokens = tokensDirectly(cluster.kubeconfig, home);
  await untilReady();
});
afterAll(async () => {
  await program.stop();
  await proxy.stop();
  tokens.close();
});

const untilReady = () => waitUntil({ what: 'the operator is ready' }, async () => (await fetch(`${opsUrl}/readyz`)).ok);

const apply = (...manifests: readonly AnyObject[]) => cluster.apply(manifests);

interface Sent extends CallOptions {
  readonly echo?: string;
}

/** Calls the API and keeps the answer. */
async function call(request: string, { echo, ...options }: Sent = {}) {
  const answer = await adminClient(url, { authorization: bootstrap })(request, options);
  answers.push({ request: request.split(' ')[0] ?? '', text: answer.text, status: answer.status, echo });
  return answer;
}

const every = () => Object.values(values);
const by = (authorization: string) => ({ headers: { authorization } });
const failing = (fault: Fault, resource: string, ...verbs: Parameters<typeof on>[1][]) =>
  proxy.inject({ fault, times: 3, match: on(resource, ...verbs) });

/** A webhook refuses the request and quotes the content that it refuses. */
const quoting: Fault = {
  name: 'a refusal that quotes what was sent',
  async play({ begin, send, end, fired }) {
    begin(500, { 'content-type': 'application/json' });
    fired();
    const message = `the webhook does not like ${every().join(' ')}`;
    await send(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500, message }));
    end();
  },
};

describe('a run with all operations on tokens and many failures', () => {
  test('tokens are made, while Secrets, statuses and answers are lost', async () => {
    const faults = [quoting, lostAnswer] as const;
    proxy.inject({ fault: faults[0], times: 1, match: on('secrets', 'create') });
    proxy.inject({ fault: faults[1], times: 1, match: on('secrets', 'create') });
    proxy.inject({ fault: refusal(422), times: 1, match: on('apitokens/status', 'patch') });
    await apply(
      anEnvironment(`${home}/production`, { type: 'production' }),
      aProject(`${home}/shop`),
      aUser(`${home}/ada`, { rootRole: 'Admin' }),
      aFlag(`${home}/sign-in`, {
        environments: { production: { enabled: true, strategies: { a: { name: 'default' } } } },
      }),
    );
    await tokens.createSecret('own', {
      value: values['from a labelled Secret'] ?? '',
      labels: { 'vexil.dev/token': 'labelled' },
    });
    await tokens.create('labelled', { type: 'admin', secretRef: { name: 'own' } });
    await tokens.create('admin', { type: 'admin' });
    await tokens.create('client', { type: 'client', environment: 'production', projects: ['shop'] });
    await tokens.create('personal', { type: 'personal', user: 'ada' });
    for (const name of ['labelled', 'admin', 'client', 'personal']) {
      values[`generated, ${name}`] = await tokens.untilReady(name);
    }
    for (const fault of [...faults, refusal(422)]) expectFired(proxy, fault);
  });

  test('a token is created over HTTP, and its value is in that answer only', async () => {
    const body = { tokenName: 'over HTTP', type: 'admin' };
    const made = await adminClient(url, { authorization: bootstrap })('POST /api-tokens', { body });
    expect(made.status, made.text).toBe(201);
    values['made over HTTP'] = made.body.secret;
    answers.push({ request: 'POST', text: made.text, status: made.status, echo: made.body.secret });
    expect((await call('GET /api-tokens')).status).toBe(200);
  });

  test('accounts of Kubernetes have tokens', async () => {
    const account = (name: string, verbs: readonly string[]): Promise<Account> =>
      createAccount(cluster, {
        namespace: home,
        name,
        rules: { [home]: [[verbs, ['featureflags', 'projects', 'environments']]] },
      });
    values['editor of Kubernetes'] = (await account('editor', ['get', 'list', 'create', 'patch', 'delete'])).token;
    values['reader of Kubernetes'] = (await account('reader', ['get', 'list'])).token;
    const forVexil = (await cluster.request({
      method: 'POST',
      path: `/api/v1/namespaces/${home}/serviceaccounts/reader/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['vexil'] } },
    })) as Stored;
    values['for Vexil alone'] = forVexil.status.token;
    expect(Object.keys(values)).toHaveLength(15);
  });

  test('each token is used as intended: some are accepted, some may write, some are refused', async () => {
    const seen = new Set<number>();
    for (const [name, value] of Object.entries(values)) {
      const [plain, bearer] = [by(value), by(`Bearer ${value}`)];
      const body = { name: `flag-of-${name.replace(/\W+/g, '-')}`, description: 'made' };
      for (const form of [plain, bearer]) seen.add((await call('GET /projects/shop', form)).status);
      for (const form of [plain, bearer]) {
        seen.add((await call('POST /projects/shop/features', { ...form, body })).status);
      }
      seen.add((await call('DELETE /projects/shop/features/no-such', plain)).status);
      seen.add((await call('POST /projects/shop/features', { ...bearer, body: '{"name":' })).status);
      seen.add((await call('GET /projects', by(value.slice(0, -1)))).status);
    }
    expect([...seen].sort()).toEqual([200, 201, 400, 401, 403, 404, 409]);
  });

  test('each token is sent to wrong places', async () => {
    for (const [name, echo] of Object.entries(values)) {
      const segment = encodeURIComponent(echo);
      // Values of one form are alike for whatever looks for them.
      if (!ofEachForm.includes(name)) {
        await call(`PUT /api-tokens/${segment}/x?token=${segment}`, { echo });
        await call('POST /projects/shop/features', { echo, body: { name: echo } });
        continue;
      }
      const inHeaders = { 'x-request-id': echo, 'x-forwarded-for': echo, cookie: `token=${echo}`, 'if-match': echo };
      const more = { ...inHeaders, 'user-agent': echo, referer: `http://x/?token=${echo}`, 'x-api-key': echo };
      await call(`DELETE /api-tokens/${segment}`, { echo });
      await call(`PUT /api-tokens/${segment}/x?token=${segment}`, { echo });
      await call(`POST //${segment}`, { echo });
      await call(`POST /projects/${segment}/features?token=${segment}`, { echo, body: { name: 'x' } });
      await call(`DELETE /projects/shop/features/${segment}`, { echo });
      await call('POST /projects/shop/features/sign-in/environments/production/on', { echo, headers: more });
      await call('PATCH /projects/shop/features/sign-in', { echo, headers: inHeaders, body: [] });
      await call('POST /projects/shop/features', { echo, body: { name: echo } });
      await call('POST /projects/shop/features', { echo, body: { name: 'x', description: [echo] } });
      await call('POST /projects/shop/features', { echo, body: { name: 'x', type: echo } });
      await call('POST /projects/shop/features', { echo, body: `{"name": ${echo}` });
      await call(`POST /projects/shop/users/${segment}/roles/4`, { echo });
      await call('POST /environments/production/clone', { echo, body: { name: echo, type: 'test' } });
    }
    const headers = { 'x-forwarded-for': bootstrap };
    const written = await call('POST /projects/shop/features', { headers, body: { name: 'from-nowhere' } });
    expect(written.status).toBe(201);
  });

  test('an address of an event stream is used, and sent to wrong places', async () => {
    const client = by(values['generated, client'] ?? '');
    const { body } = await adminClient(url)('POST //ofrep/v1/evaluate/flags', { ...client, body: {} });
    const address = `${body.eventStreams[0].endpoint.requestUri}`;
    const echo = new URL(address, url).searchParams.get('key') ?? '';
    values['key of an event stream'] = echo;
    expect((await call(`HEAD /${address}`, { echo })).status).toBe(200);
    expect((await call(`GET /${address}x`, { echo })).status).toBe(401);
    expect((await call(`POST /${address}`, { echo })).status).toBe(404);
    expect((await call(`POST //ofrep/v1/streams/${echo}`, { echo })).status).toBe(404);
    await call('DELETE /projects/shop', { echo, headers: { referer: `${url}${address}` } });
  });

  test('sinks with secrets send to receivers that are not there', async () => {
    values['key of a sink'] = `whsec_${randomBytes(32).toString('base64')}`;
    values['URL of a chat'] = `https://127.0.0.1:9/services/${hex()}`;
    const [key, chatUrl] = [values['key of a sink'], values['URL of a chat']];
    await createSinkSecret(cluster, { namespace: home, sink: 'hook', value: key });
    await createSinkSecret(cluster, { namespace: home, sink: 'chat', value: chatUrl });
    const chat = { ...aSink(`${home}/chat`), spec: { type: 'Slack', secretRef: { name: 'chat' } } };
    await apply(aSink(`${home}/hook`, { url: 'https://127.0.0.1:9/', secretRef: { name: 'hook' } }), chat);
    await call('POST /projects/shop/features', { body: { name: 'delivered' } });
    for (const name of ['hook', 'chat']) {
      const lastError = async () => (await cluster.getObject(`notificationsink/${name}`, home)).status?.lastError;
      await waitUntil({ what: `${name} fails` }, lastError);
    }
  });

  test('the API server refuses, fails and breaks connections, also those of watches', async () => {
    const watchFaults = [errorFrame(500), errorFrame(410), cutMidFrame(40)];
    const faults = [quoting, refusal(500), refusal(403), refusal(401), reset, ...watchFaults];
    failing(refusal(500), 'featureflags', 'patch');
    failing(refusal(403), 'featureflags', 'create');
    failing(refusal(401), 'environments', 'patch');
    for (const resource of ['featureflags', 'apitokens']) {
      for (const fault of watchFaults) {
        proxy.inject({ fault, times: 1, match: on(resource, 'watch', 'watch-list') });
      }
    }
    failing(refusal(500), 'featureflags/status', 'patch');
    proxy.inject({ fault: quoting, times: 12, match: on('tokenreviews', 'create') });
    proxy.inject({ fault: reset, times: 12, match: on('subjectaccessreviews', 'create') });
    proxy.drop();
    const seen = new Set<number>();
    const writeAs = async (callers: readonly string[]) => {
      for (const value of callers) {
        const tag = { ...by(value), body: [{ op: 'replace', path: '/description', value: `at ${performance.now()}` }] };
        seen.add((await call('PATCH /projects/shop/features/sign-in', tag)).status);
        seen.add((await call('POST /projects/shop/features', { ...by(value), body: { name: 'lost' } })).status);
        seen.add((await call('POST /environments/production/off', by(value))).status);
      }
    };
    await writeAs(every());
    expect([...seen]).toContain(503);
    // Watches connect again meanwhile, and reviews are cached for a while.
    const [editor = '', reader = ''] = [values['editor of Kubernetes'], values['reader of Kubernetes']];
    await waitUntil({ what: 'all of that has happened' }, async () => {
      if (faults.every(({ name }) => proxy.fired.includes(name))) return true;
      await writeAs([bootstrap, editor, reader]);
      return false;
    });
  });

  test('an environment is cloned, which an Event reports', async () => {
    await untilReady();
    const body = { name: 'staging', type: 'test', projects: ['shop'] };
    await waitUntil({ what: 'the clone is done' }, async () => {
      return (await call('POST /environments/production/clone', { body })).status === 200;
    });
  });

  test('tokens are revoked, and used once more', async () => {
    for (const name of ['labelled', 'admin', 'client', 'personal']) {
      await tokens.delete('apitokens', name);
      const value = values[`generated, ${name}`] ?? '';
      await waitUntil({ what: `${name} is out` }, async () => (await call('GET /projects', by(value))).status === 401);
    }
    await tokens.create('admin', { type: 'admin', description: 'made anew' });
  });
});

describe('values are disclosed', () => {
  const recorded = (text: string) => recordedIn(text, values);

  test('by the log: none, although it reports every kind of failure', () => {
    const log = lines.join('\n');
    const failures = ['http: request answered', 'http: request not served', 'reconcile: failed', 'watch failed'];
    for (const part of [...failures, '[redacted]', '"debug"', '"stack"']) {
      expect(log, 'what the log reports').toContain(part);
    }
    expect(log).toContain('authentication: repeated failures');
    for (const line of lines) expect(recorded(line), line.slice(0, 500)).toEqual([]);
    expect(log).not.toMatch(/authorization"|bearer ey/i);
  });

  test('by answers: only what the caller has put into the path or the body of the same request', () => {
    const refused = answers.filter(({ status }) => status >= 400);
    expect(refused.length).toBeGreaterThan(150);
    for (const { request, text, echo } of answers) {
      const others = recorded(text).filter((name) => values[name] !== echo && !sharesTraits(values[name], echo));
      expect(others, `${request}: ${text.slice(0, 300)}`).toEqual([]);
    }
  });

  /** Whether both values share a part: tokens of one issuer begin with the same characters. */
  function sharesTraits(value = '', echo = ''): boolean {
    return value !== bootstrap && traitsOf(value).some((trait) => echo.includes(trait));
  }

  test('by objects with their statuses, labels and annotations: none', async () => {
    const plurals = kinds.map(({ plural }) => plural);
    for (const plural of [...plurals, 'configmaps', 'leases']) {
      const { items } = await cluster.getObject(plural, home);
      const text = JSON.stringify(items);
      const isEmpty = /flagroles|strategydefinitions|segments|changerequests|changeapprovals|leases/.test(plural);
      expect(isEmpty || items.length > 0, plural).toBe(true);
      if (/featureflags|projects|apitokens/.test(plural)) expect(JSON.stringify(items)).toContain('"conditions"');
      expect(recorded(text), plural).toEqual([]);
    }
    const { items: secrets } = await cluster.getObject('secrets', home);
    const metadata = JSON.stringify(secrets.map((secret: Stored) => secret.metadata));
    expect(metadata).toContain('vexil');
    expect(recorded(metadata)).toEqual([]);
  });

  test('by Events: none', async () => {
    for (const group of ['/apis/events.k8s.io/v1', '/api/v1']) {
      const { items } = (await cluster.request({
        method: 'GET',
        path: `${group}/namespaces/${home}/events`,
      })) as Stored;
      expect(items.length, group).toBeGreaterThan(0);
      expect(recorded(JSON.stringify(items)), group).toEqual([]);
    }
  });

  test.each([
    ['metrics', () => `${opsUrl}/metrics`, 'vexil_http_request_duration_seconds_count'],
    ['readiness', () => `${opsUrl}/readyz`, 'apitokens-synced'],
    ['the API document', () => `${url}/docs/openapi.json`, '/api/admin/projects'],
    ['the page about it', () => `${url}/docs`, '<!doctype html>'],
    ['health', () => `${url}/health`, 'GOOD'],
  ])('by %s: none', async (_, place, part) => {
    const text = await (await fetch(place())).text();
    expect(text).toContain(part);
    expect(recorded(text)).toEqual([]);
  });

  test('by a configuration that is wrong: none', async () => {
    const output: string[] = [];
    const settings = { VEXIL_ADMIN_TOKENS: bootstrap, VEXIL_ADMIN_TOKEN: `${bootstrap} ` };
    const wrong = startOperatorProgram({ settings, onLine: (line) => output.push(line) });
    expect((await wrong.ended).code).not.toBe(0);
    for (const name of [/VEXIL_ADMIN_TOKENS/, /VEXIL_ADMIN_TOKEN\b/]) expect(output.join('\n')).toMatch(name);
    expect(recorded(output.join('\n'))).toEqual([]);
  });
});

test.each(['"token": "VALUE"', 'at /VALUE?x', 'Authorization: Bearer VALUE', 'data: BASE64', 'PART and more'])(
  'a value would be found in: %s',
  (text) => {
    const value = values['wrong, like an admin token'] ?? '';
    const filled = text
      .replace('VALUE', value)
      .replace('BASE64', Buffer.from(value).toString('base64'))
      .replace('PART', value.slice(4));
    expect(recordedIn(filled, values)).toEqual(['wrong, like an admin token']);
  },
);
