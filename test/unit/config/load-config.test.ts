/** Environment variables become a Config, or a message that says what to do. */
import { describe, expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../src/config/load-config.ts';
import { redacted } from '../../../src/config/redacted.ts';
import { isRefusal, type Refusal } from '../../../src/errors.ts';
import { detailMessage, detailPath } from '../../../src/model/invalid-input.ts';

type Environment = Record<string, string | undefined>;
const token = `*:*.${'0123456789abcdef'.repeat(4)}`;

function refusalOf(environment: Environment): Refusal {
  try {
    loadConfig(environment);
  } catch (error) {
    if (isRefusal(error, 'invalid')) return error;
    throw error;
  }
  return expect.unreachable('the configuration was accepted');
}

function namesAndMessages(environment: Environment) {
  return Object.fromEntries(
    refusalOf(environment).details.map((detail) => [detailPath(detail), detailMessage(detail)]),
  );
}

const NONE = Number.POSITIVE_INFINITY;

describe('an empty environment', () => {
  test('gives every default', () => {
    expect(loadConfig({})).toEqual({
      ...{ namespace: 'vexil-system', watchNamespaces: ['vexil-system'] },
      http: {
        host: undefined,
        port: 4242,
        bodyLimitBytes: 100_000,
        importLimitBytes: 5 * 1024 ** 2,
        localOnly: false,
        trustedProxies: 0,
        ...{ tls: undefined, requestsPerMinute: undefined, sdkRequestsPerMinute: undefined },
        ...{ sdkStreamLimit: 5_000, sdkStreamsPerToken: 2_500, sdkStreamsPerAddress: NONE, changeStreamLimit: 1_000 },
        frontendOrigins: '*',
      },
      opsPort: 8081,
      auth: 'token',
      adminToken: undefined,
      publicUrl: undefined,
      ...{ console: true, oidc: undefined, userSearch: 'object' },
      contextFields: expect.arrayContaining([{ name: 'userId', description: expect.any(String), stickiness: true }]),
      ...{ audit: { url: 'sqlite:vexil-audit.db', retentionMs: 400 * 24 * 3_600_000 }, sinks: { allowedNetworks: [] } },
      usage: { hourlyMs: 48 * 3_600_000, dailyMs: 400 * 24 * 3_600_000, flagMetrics: 0 },
      ...{ nameTenureMs: 7 * 24 * 3_600_000, changeRequestRetentionMs: 90 * 24 * 3_600_000 },
      environmentPermissions: false,
      protectedManagers: expect.arrayContaining(['argocd-controller', 'kustomize-controller', 'helm', '@apply']),
      leaderElection: true,
      staleDays: { release: 30, experiment: 30, operational: 30, 'kill-switch': 90, permission: 90 },
      timings: expect.objectContaining({ accessCacheMs: 5_000 }),
      ...{ logLevel: 'info', kubeconfig: undefined },
    });
  });

  test('treats empty values and unknown variables as absent', () => {
    expect(loadConfig({ VEXIL_HTTP_PORT: '', VEXIL_ADMIN_TOKEN: '', PATH: '/bin', HOME: undefined })).toEqual(
      loadConfig({}),
    );
  });

  test('gives a deeply frozen configuration', () => {
    const config = loadConfig({ VEXIL_WATCH_NAMESPACES: 'a,b' });
    for (const part of [
      config,
      config.http,
      config.audit,
      config.watchNamespaces,
      config.protectedManagers,
      config.timings,
    ])
      expect(Object.isFrozen(part)).toBe(true);
  });
});

describe('accepted values', () => {
  const cases: readonly [string, Environment, Partial<Config>][] = [
    ['a home namespace', { VEXIL_NAMESPACE: 'flags' }, { namespace: 'flags', watchNamespaces: ['flags'] }],
    ['one more namespace', { VEXIL_WATCH_NAMESPACES: 'shop' }, { watchNamespaces: ['vexil-system', 'shop'] }],
    [
      'a list with spaces and repeats',
      { VEXIL_NAMESPACE: 'flags', VEXIL_WATCH_NAMESPACES: 'shop, flags ,billing,shop' },
      { watchNamespaces: ['flags', 'shop', 'billing'] },
    ],
    ['all namespaces', { VEXIL_WATCH_NAMESPACES: '*' }, { watchNamespaces: '*' }],
    ['a free ops port', { VEXIL_OPS_PORT: '0' }, { opsPort: 0 }],
    ['an admin token like those of Unleash', { VEXIL_ADMIN_TOKEN: token }, { adminToken: token }],
    ['the shortest admin token', { VEXIL_ADMIN_TOKEN: '0123456789abcdef' }, { adminToken: '0123456789abcdef' }],
    [
      'a certificate with its key',
      { VEXIL_TLS_CERT_FILE: '/tls/tls.crt', VEXIL_TLS_KEY_FILE: '/tls/tls.key' },
      { http: expect.objectContaining({ tls: { certFile: '/tls/tls.crt', keyFile: '/tls/tls.key' } }) },
    ],
    ['a rate limit', { VEXIL_RATE_LIMIT: '600' }, { http: expect.objectContaining({ requestsPerMinute: 600 }) }],
    [
      'origins of pages',
      { VEXIL_FRONTEND_ORIGINS: 'https://Example.com, http://localhost:3000' },
      { http: expect.objectContaining({ frontendOrigins: ['https://example.com', 'http://localhost:3000'] }) },
    ],
    [
      'no pages of other origins',
      { VEXIL_FRONTEND_ORIGINS: 'none' },
      { http: expect.objectContaining({ frontendOrigins: [] }) },
    ],
    ['no rate limit', { VEXIL_RATE_LIMIT: 'off' }, { http: expect.objectContaining({ requestsPerMinute: undefined }) }],
    ['a log level', { VEXIL_LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    ['kubeconfigs', { KUBECONFIG: '/a/config::/b/config' }, { kubeconfig: '/a/config::/b/config' }],
  ];

  test.each(cases)('%s', (_, environment, want) => {
    expect(loadConfig(environment)).toMatchObject(want);
  });

  test.each([
    ['1024', 1024],
    ['2048 B', 2048],
    ['100kB', 100_000],
    ['100 KiB', 102_400],
    ['5MB', 5_000_000],
    ['100MiB', 104_857_600],
  ])('a body limit of %s is %i bytes', (value, want) => {
    expect(loadConfig({ VEXIL_BODY_LIMIT: value }).http.bodyLimitBytes).toBe(want);
  });

  test.each([
    ['0', 0],
    ['2', 2],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['127.0.0.1, fd00::/8', ['127.0.0.1', 'fd00::/8']],
  ])('trusted proxies %s', (value, want) => {
    expect(loadConfig({ VEXIL_TRUST_PROXY: value }).http.trustedProxies).toEqual(want);
  });

  test.each([
    ['none', []],
    ['argocd-controller', ['argocd-controller']],
    ['team, flux-*-controller ,@apply', ['team', 'flux-*-controller', '@apply']],
  ])('protected managers %s', (value, want) => {
    expect(loadConfig({ VEXIL_PROTECTED_MANAGERS: value }).protectedManagers).toEqual(want);
  });

  test.each([
    ['off', undefined],
    ['1h', 3_600_000],
    ['36h', 129_600_000],
    ['365d', 31_536_000_000],
    ['36500d', 3_153_600_000_000],
  ])('a history that is kept for %s', (value, want) => {
    expect(loadConfig({ VEXIL_AUDIT_RETENTION: value }).audit.retentionMs).toBe(want);
  });

  test.each([
    'sqlite:history.db',
    'sqlite:/var/lib/vexil/with blanks & 100%.db',
    'sqlite:./a/b',
    'sqlite:///var/lib/history.db',
    'postgres://vexil:secret@db.example:5432/history?sslmode=verify-full',
    'postgresql://vexil@[fd00::1]/history',
    'postgres:///history?host=/run/postgresql&user=vexil',
  ])('an archive at %s', (url) => {
    expect(loadConfig({ VEXIL_AUDIT_URL: url }).audit.url).toBe(url);
  });

  test.each(['https://flags.example.com', 'http://10.0.0.1:8080/vexil', 'http://[fd00::1]'])('links to %s', (url) => {
    expect(loadConfig({ VEXIL_PUBLIC_URL: url }).publicUrl).toBe(url);
  });

  test('context fields: after the built-in ones, or replacing one', () => {
    const region = { name: 'region', legalValues: [{ value: 'eu' }] };
    const value = JSON.stringify([region, { name: 'userId', stickiness: false, sortOrder: 3 }]);
    const { contextFields } = loadConfig({ VEXIL_CONTEXT_FIELDS: value });
    expect(contextFields.at(1)).toEqual({ name: 'userId', stickiness: false });
    expect(contextFields.at(-1)).toEqual(region);
    expect(contextFields).toHaveLength(7);
  });

  test('permissions for each environment', () => {
    expect(loadConfig({ VEXIL_ENVIRONMENT_PERMISSIONS: 'true' }).environmentPermissions).toBe(true);
  });

  test.each(['0', '1', '65535'])('port %s', (port) => {
    expect(loadConfig({ VEXIL_HTTP_PORT: port }).http.port).toBe(Number(port));
  });

  test('both ports may be any free port', () => {
    expect(loadConfig({ VEXIL_HTTP_PORT: '0', VEXIL_OPS_PORT: '0' })).toMatchObject({ http: { port: 0 }, opsPort: 0 });
  });

  test.each(['0.0.0.0', '::', '10.1.2.3', 'fd00::1', 'localhost', 'vexil.flags.svc'])('host %s', (host) => {
    expect(loadConfig({ VEXIL_HTTP_HOST: host }).http.host).toBe(host);
  });
});

describe('the namespace of the pod', () => {
  test('is the operator namespace by default', () => {
    expect(loadConfig({}, { podNamespace: 'operators\n' }).namespace).toBe('operators');
  });

  test('is overridden by VEXIL_NAMESPACE', () => {
    expect(loadConfig({ VEXIL_NAMESPACE: 'flags' }, { podNamespace: 'operators' }).namespace).toBe('flags');
  });

  test.each([undefined, '', '\n'])('may be unknown: %j', (podNamespace) => {
    expect(loadConfig({}, { podNamespace }).namespace).toBe('vexil-system');
  });
});

describe('rejected values', () => {
  test.each([
    ['a name that is too long', 'm'.repeat(129)],
    ['too many names', Array.from({ length: 101 }, (_, index) => `m${index}`).join()],
  ])('protected managers with %s', (_, value) => {
    const { VEXIL_PROTECTED_MANAGERS: message } = namesAndMessages({ VEXIL_PROTECTED_MANAGERS: value });
    expect(message).toContain('allowed: "none", or up to 100 names');
  });

  test.each([
    ['VEXIL_NAMESPACE', 'Flags'],
    ['VEXIL_NAMESPACE', 'a'.repeat(64)],
    ['VEXIL_NAMESPACE', '-flags'],
    ['VEXIL_WATCH_NAMESPACES', 'shop,,billing'],
    ['VEXIL_WATCH_NAMESPACES', 'shop,*'],
    ['VEXIL_WATCH_NAMESPACES', ','],
    ['VEXIL_HTTP_HOST', '[::1]'],
    ['VEXIL_HTTP_HOST', '1.2.3.400'],
    ['VEXIL_HTTP_HOST', 'http://here'],
    ['VEXIL_HTTP_HOST', 'here:80'],
    ['VEXIL_TRUST_PROXY', 'true'],
    ['VEXIL_TRUST_PROXY', '17'],
    ['VEXIL_TRUST_PROXY', '10.0.0.0/33'],
    ['VEXIL_TRUST_PROXY', '10.0.0.0/8/8'],
    ['VEXIL_TRUST_PROXY', 'loopback,,'],
    ['VEXIL_ENVIRONMENT_PERMISSIONS', 'yes'],
    ['VEXIL_PROTECTED_MANAGERS', 'argocd-controller,,helm'],
    ['VEXIL_PROTECTED_MANAGERS', 'argocd controller'],
    ['VEXIL_PROTECTED_MANAGERS', 'a*b*c*d*e'],
    ['VEXIL_HTTP_PORT', '65536'],
    ['VEXIL_HTTP_PORT', '-1'],
    ['VEXIL_HTTP_PORT', '80.5'],
    ['VEXIL_HTTP_PORT', '0x50'],
    ['VEXIL_HTTP_PORT', ' 80'],
    ['VEXIL_OPS_PORT', 'eight'],
    ['VEXIL_AUTH', 'None'],
    ['VEXIL_ALLOW_ANONYMOUS', 'yes'],
    ['VEXIL_BODY_LIMIT', '1023'],
    ['VEXIL_BODY_LIMIT', '101MiB'],
    ['VEXIL_IMPORT_LIMIT', '101MiB'],
    ['VEXIL_BODY_LIMIT', '1.5MB'],
    ['VEXIL_BODY_LIMIT', '100kb'],
    ['VEXIL_LOG_LEVEL', 'trace'],
    ['VEXIL_AUDIT_RETENTION', '365'],
    ['VEXIL_AUDIT_RETENTION', '0d'],
    ['VEXIL_AUDIT_RETENTION', '36501d'],
    ['VEXIL_AUDIT_RETENTION', '1.5d'],
    ['VEXIL_AUDIT_RETENTION', '30m'],
    ['VEXIL_AUDIT_RETENTION', '-1d'],
    ['VEXIL_AUDIT_RETENTION', 'Off'],
    ['VEXIL_PUBLIC_URL', 'flags.example.com'],
    ['VEXIL_PUBLIC_URL', 'https://flags.example.com/'],
    ['VEXIL_PUBLIC_URL', 'ftp://flags.example.com'],
    ['VEXIL_PUBLIC_URL', 'https://ada:secret@flags.example.com'],
    ['VEXIL_PUBLIC_URL', 'https://flags.example.com/?a=b'],
    ['VEXIL_PUBLIC_URL', 'https://flags.example.com/#top'],
    ['VEXIL_PUBLIC_URL', 'https://flags.example.com)'],
    ['VEXIL_PUBLIC_URL', ' https://flags.example.com'],
    ['VEXIL_PUBLIC_URL', 'https://'],
    ['VEXIL_PUBLIC_URL', 'https://a:99999'],
    ['VEXIL_CONTEXT_FIELDS', 'region'],
    ['VEXIL_CONTEXT_FIELDS', '{"name":"region"}'],
    ['VEXIL_CONTEXT_FIELDS', '[{"legalValues":[]}]'],
    ['VEXIL_CONTEXT_FIELDS', '[{"name":"region","legalValues":["eu"]}]'],
    ['VEXIL_FRONTEND_ORIGINS', 'shop.example.com'],
    ['VEXIL_FRONTEND_ORIGINS', 'https://shop.example.com/'],
    ['VEXIL_FRONTEND_ORIGINS', 'https://*.example.com'],
    ['VEXIL_FRONTEND_ORIGINS', '*,https://example.com'],
    ['VEXIL_FRONTEND_ORIGINS', 'null'],
    ['VEXIL_RATE_LIMIT', '0'],
    ['VEXIL_RATE_LIMIT', '1000001'],
    ['VEXIL_RATE_LIMIT', '10/s'],
    ['VEXIL_RATE_LIMIT', 'none'],
  ])('%s=%s: the message has name, value and what is allowed', (name, value) => {
    const message = namesAndMessages({ [name]: value })[name];
    expect(message).toContain(`${name} is ${JSON.stringify(value)}; allowed: `);
  });

  test('a long value is not repeated completely', () => {
    expect(refusalOf({ VEXIL_AUTH: 'x'.repeat(10_000) }).message.length).toBeLessThan(300);
  });

  test('all problems are reported at once, in details and in the message', () => {
    const refusal = refusalOf({ VEXIL_HTTP_PORT: 'x', VEXIL_AUTH: 'y', VEXIL_SPEED: 'z' });
    expect(refusal.details.map(detailPath).toSorted()).toEqual(['VEXIL_AUTH', 'VEXIL_HTTP_PORT', 'VEXIL_SPEED']);
    for (const detail of refusal.details) expect(refusal.message).toContain(detailMessage(detail));
  });

  test.each([
    ['VEXIL_TLS_KEY_FILE', { VEXIL_TLS_CERT_FILE: '/tls/tls.crt' }],
    ['VEXIL_TLS_CERT_FILE', { VEXIL_TLS_KEY_FILE: '/tls/tls.key' }],
  ])('a certificate needs its key: %s is required', (missing, given) => {
    expect(namesAndMessages(given)).toEqual({
      [missing]: expect.stringMatching(new RegExp(`^${missing} is missing, as VEXIL_TLS_.* is "/tls/tls`)),
    });
  });

  test('the two ports must differ', () => {
    expect(namesAndMessages({ VEXIL_OPS_PORT: '4242' })['VEXIL_OPS_PORT']).toContain('as VEXIL_HTTP_PORT');
  });
});

describe('the admin token', () => {
  test.each([
    ['too short', 'short-secret'],
    ['with a space', 'a-secret with-a-space'],
    ['with a line break at its end', `${token}\n`],
    ['with a control character', `${token}\u0007`],
    ['with letters that no header carries', `${token}ü`],
    ['too long', token.repeat(10)],
  ])('%s is refused without being disclosed', (_, value) => {
    const refusal = refusalOf({ VEXIL_ADMIN_TOKEN: value });
    expect(refusal.details).toHaveLength(1);
    expect(refusal.details[0]).toMatchObject({ path: 'VEXIL_ADMIN_TOKEN' });
    expect(JSON.stringify([refusal.message, refusal.details, `${refusal.stack}`])).not.toContain(value.slice(0, 12));
  });

  test('is not in the log of the start', () => {
    const shown = redacted(loadConfig({ VEXIL_ADMIN_TOKEN: token, VEXIL_HTTP_PORT: '80' }));
    expect(JSON.stringify(shown)).not.toContain(token);
    expect(shown).toMatchObject({ adminTokenGiven: true, http: { port: 80 } });
    expect(redacted(loadConfig({}))).toMatchObject({ adminTokenGiven: false });
  });
});

describe('the archive of the history', () => {
  test.each([
    'history-secret.db',
    'sqlite:',
    'sqlite::memory:',
    'sqlite:file:history-secret.db?mode=memory',
    'sqlite://history-secret.db',
    'sqlite:history-secret\u0000.db',
    'mysql://vexil:secret@db/history',
    'postgres://vexil:secret@db',
    'postgres://vexil:secret@db/',
    'postgres:///history',
    'postgres://vexil:secret@db:99999/history',
    'https://vexil:secret@db/history',
  ])('%j is refused without being disclosed', (value) => {
    const refusal = refusalOf({ VEXIL_AUDIT_URL: value });
    expect(refusal.details).toMatchObject([{ path: 'VEXIL_AUDIT_URL' }]);
    expect(refusal.message).toContain('allowed: "sqlite:PATH"');
    expect(JSON.stringify([refusal.message, refusal.details, `${refusal.stack}`])).not.toContain('secret');
  });

  test.each([
    ['postgres://vexil:secret@db:5432/history?password=secret&sslkey=secret', 'postgres://db:5432/history'],
    ['postgres://secret@[fd00::1]/history', 'postgres://[fd00::1]/history'],
    ['postgres:///history?host=/run/secret&user=secret', 'postgres:///history'],
    ['sqlite:/var/lib/vexil/history.db', 'sqlite:/var/lib/vexil/history.db'],
  ])('%s is logged as %s', (url, shown) => {
    expect(redacted(loadConfig({ VEXIL_AUDIT_URL: url }))).toMatchObject({
      audit: { url: shown, retentionMs: 34_560_000_000 },
    });
  });
});

describe('without authentication', () => {
  const none = { VEXIL_AUTH: 'none' };

  test('the API stays on the loopback address', () => {
    expect(loadConfig(none).http.host).toBe('127.0.0.1');
  });

  test.each(['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost'])(
    '%s is loopback',
    (host) => {
      expect(loadConfig({ ...none, VEXIL_HTTP_HOST: host }).http.host).toBe(host);
    },
  );

  test.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'vexil'])(
    '%s is refused, and the message names the solutions',
    (host) => {
      const message = namesAndMessages({ ...none, VEXIL_HTTP_HOST: host })['VEXIL_HTTP_HOST'];
      expect(message).toContain(`"${host}"`);
      expect(message).toContain('VEXIL_ALLOW_ANONYMOUS=true');
    },
  );

  test('anonymous access needs an explicit setting', () => {
    const open = { ...none, VEXIL_ALLOW_ANONYMOUS: 'true' };
    expect(loadConfig(open).http.host).toBeUndefined();
    expect(loadConfig({ ...open, VEXIL_HTTP_HOST: '0.0.0.0' }).http.host).toBe('0.0.0.0');
  });
});
