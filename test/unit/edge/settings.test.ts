/** Settings of the edge: options before variables, the names of Unleash Edge, and complaints that say what to do. */
import { expect, test } from 'vitest';
import { edgeCommand } from '../../../src/edge/command.ts';
import { type EdgeSettings, readEdgeSettings } from '../../../src/edge/settings.ts';
import { readUnleashArguments } from '../../../src/edge/unleash-edge-options.ts';

const URLS = { UPSTREAM_URL: 'https://flags.example.com' };

test('options take precedence over variables, and names of Vexil over those of Unleash Edge', () => {
  const environment = { ...URLS, PORT: '1', VEXIL_EDGE_PORT: '2', STRICT: 'true', TOKENS: 'a:b.c, d:e.f' };
  expect(readEdgeSettings({}, environment)).toMatchObject({ port: 2, strict: true, tokens: ['a:b.c', 'd:e.f'] });
  expect(readEdgeSettings({ port: '3' }, environment)).toMatchObject({ port: 3 });
});

test('variables that Kubernetes writes for a Service called vexil-edge are no settings', () => {
  const injected = {
    VEXIL_EDGE_PORT: 'tcp://10.0.0.7:3063',
    VEXIL_EDGE_SERVICE_HOST: '10.0.0.7',
    VEXIL_EDGE_SERVICE_PORT: '3063',
    VEXIL_EDGE_PORT_3063_TCP_ADDR: '10.0.0.7',
  };
  expect(readEdgeSettings({}, { ...URLS, ...injected })).toMatchObject({ port: 3063 });
});

/** The settings of a command line of Unleash Edge. */
async function settingsOf(line: string, environment = {}): Promise<EdgeSettings | undefined> {
  let read: EdgeSettings | undefined;
  const start = async (options: object) => {
    read = readEdgeSettings({ ...options }, environment);
  };
  const command = edgeCommand({ start, check: start, probe: start }).exitOverride();
  await command.parseAsync(readUnleashArguments(line.split(' ')), { from: 'user' });
  return read;
}

test('command lines of Unleash Edge are understood', async () => {
  const line = '-p 3070 -b /flags -w 4 -l json edge -u https://a -b /backup -t a:b.c --tokens d:e.f -H X-A:1 -H X-B:2';
  const rest = '--trust-proxy --proxy-trusted-servers 10.0.0.1 --instance-id edge';
  const read = await settingsOf(`${line} ${rest}`, { RUST_LOG: 'warn', SKIP_SSL_VERIFICATION: 'false' });
  expect(read).toMatchObject({
    ...{ port: 3070, basePath: '/flags', backupFolder: '/backup', tokens: ['a:b.c', 'd:e.f'], instanceId: 'edge' },
    ...{ headers: { 'X-A': '1', 'X-B': '2' }, trustedProxies: ['10.0.0.1'] },
    withoutEffect: ['WORKERS', 'LOG_FORMAT', 'RUST_LOG'],
  });
  expect(await settingsOf('offline -b flags.json -c a:b.c -r 5')).toMatchObject({ from: 'flags.json' });
});

test('options that cannot be honoured are refused as variables are', async () => {
  const line = 'edge -u https://a -s --deny-list 10.0.0.0/8 -p secret@development';
  await expect(settingsOf(line, { REDIS_HOST: 'redis' })).rejects.toThrow(
    /REDIS_HOST is not.*SKIP_SSL_VERIFICATION is not.*DENY_LIST is not.*PRETRUSTED_TOKENS is not/,
  );
  await expect(settingsOf('offline -b a -t a:b.c -f d:e.f')).rejects.toThrow('FRONTEND_TOKENS is not supported');
  await expect(settingsOf('edge -u https://a', { TRUST_PROXY: 'true' })).rejects.toThrow('TRUST_PROXY is not');
});

test.each([
  [{}, 'needs --upstream-url'],
  [{ ...URLS, BOOTSTRAP_FILE: 'flags.json', TOKENS: 'a:b.c' }, 'and not both'],
  [{ BOOTSTRAP_FILE: 'flags.json' }, '--from needs --tokens or --tokens-file'],
  [
    { UPSTREAM_URL: 'https://flags.example.com/api' },
    '--upstream-url (VEXIL_EDGE_UPSTREAM_URL): the URL is the one without /api',
  ],
  [{ UPSTREAM_URL: 'flags.example.com' }, 'a URL begins with http:// or https://'],
  [{ ...URLS, STRICT: 'true' }, '--strict needs --tokens or --tokens-file'],
  [{ ...URLS, STRICT: 'perhaps' }, '--strict (VEXIL_EDGE_STRICT)'],
  [{ ...URLS, VEXIL_EDGE_TRUST_TOKENS_FOR: '1 hour' }, 'a duration is a number with a unit: 30s, 10m, 1h'],
  [{ ...URLS, TLS_SERVER_CERT: 'cert.pem' }, '--tls-server-cert and --tls-server-key need each other'],
  [{ ...URLS, REDIS_URL: 'redis://127.0.0.1' }, 'REDIS_URL is not supported: use BACKUP_FOLDER'],
  [{ ...URLS, BASE_PATH: 'flags' }, 'a path begins with /'],
  [{ ...URLS, PROXY_TRUSTED_SERVERS: 'abc' }, 'a number up to 99, or addresses and ranges'],
  [{ ...URLS, VEXIL_EDGE_STRIKT: 'true' }, 'VEXIL_EDGE_STRIKT is not a setting; the nearest one is VEXIL_EDGE_STRICT'],
])('%j is refused: %s', (environment, complaint) => {
  expect(() => readEdgeSettings({}, environment)).toThrow(complaint);
});
