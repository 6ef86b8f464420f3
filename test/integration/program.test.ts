/** The operator as a process: what it refuses to start with, what it waits for, how it ends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { adminClient } from '../support/admin-client.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { runProgram } from '../support/control-plane/run-program.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OperatorProgram, startOperatorProgram, TEST_REVISION } from '../support/operator-program.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';

const HOME = 'vexil-system';
let plane: ControlPlane;
let settings: Record<string, string>;
let running: OperatorProgram | undefined;
let lines: string[];

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  settings = {
    KUBECONFIG: await grantOperatorRoles(plane, HOME, []),
    VEXIL_NAMESPACE: HOME,
    VEXIL_HTTP_PORT: '0',
    VEXIL_OPS_PORT: '0',
    VEXIL_AUTH: 'none',
  };
});

afterEach(async () => {
  await running?.stop();
});

afterAll(() => plane?.stop());

function start(more: Record<string, string> = {}): OperatorProgram {
  lines = [];
  running = startOperatorProgram({ settings: { ...settings, ...more }, onLine: (line) => lines.push(line) });
  return running;
}

test('the built program names its version and the commit that it is made of', async () => {
  const { stdout } = await runProgram(process.execPath, [process.env['VEXIL_TEST_PROGRAM'] ?? '', '--version']);
  expect(stdout).toBe(`vexil ${manifest.version} (revision ${TEST_REVISION})\n`);
  const { opsPort } = await start().listening;
  const labels = `version="${manifest.version}",revision="${TEST_REVISION}",node="${process.version}"`;
  expect(await readMetric(`http://127.0.0.1:${opsPort}`, `vexil_build_info{${labels}}`)).toBe(1);
});

test('an operator whose log level hides where it listens is not waited for', async () => {
  await expect(start({ VEXIL_LOG_LEVEL: 'warn' }).listening).rejects.toThrow('VEXIL_LOG_LEVEL=warn');
});

describe('with a bad configuration', () => {
  test.each([
    ['an unknown variable', { VEXIL_HTTP_PROT: '1' }, /VEXIL_HTTP_PROT.*VEXIL_HTTP_PORT/],
    ['a value of another type', { VEXIL_HTTP_PORT: 'many' }, /VEXIL_HTTP_PORT is "many"; allowed: a port number/],
    ['anonymous access', { VEXIL_HTTP_HOST: '0.0.0.0' }, /VEXIL_HTTP_HOST.*VEXIL_ALLOW_ANONYMOUS/],
    ['a missing kubeconfig', { KUBECONFIG: '/does/not/exist' }, /\/does\/not\/exist/],
  ])('%s: it refuses to start and names it', async (_, wrong, want) => {
    const { ended } = start(wrong);
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(lines.join('\n')).toMatch(want);
  });

  test('a token that cannot be used is named, and not shown', async () => {
    const { ended } = start({ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: 'short-secret' });
    expect(await ended).toEqual({ code: 2, signal: null });
    expect(lines.join('\n')).toContain('VEXIL_ADMIN_TOKEN');
    expect(lines.join('\n')).not.toContain('short-secret');
  });

  test('a port that is taken is named', async () => {
    const { httpPort } = await start().listening;
    const first = running;
    const { ended } = start({ VEXIL_HTTP_PORT: String(httpPort) });
    expect((await ended).code).toBe(2);
    expect(lines.join('\n')).toContain(String(httpPort));
    await first?.stop();
  });
});

test('while the API server is away it waits, says so, and is not ready; then it serves', async () => {
  await plane.stopApiServer();
  const { listening } = start();
  const { httpPort, opsPort } = await listening;
  const call = adminClient(`http://127.0.0.1:${httpPort}`);
  const refused = await call('GET /projects');
  expect([refused.status, refused.body.name]).toEqual([503, 'UnavailableError']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await call('GET //health')).body).toEqual({ health: 'GOOD' });
  expect((await fetch(`http://127.0.0.1:${opsPort}/livez`)).status).toBe(200);
  const readiness = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
  expect(readiness.status).toBe(503);
  expect(await readiness.text()).toContain('waiting for the first list');
  await waitUntil({ what: 'it has said why' }, () => lines.some((line) => line.includes('ECONNREFUSED')));

  await plane.startApiServer();
  await waitUntil(
    { what: 'it is ready', timeoutMs: 60_000 },
    async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok,
  );
  expect((await call('GET /projects')).body).toEqual({ version: 1, projects: [] });
});

test('through a restart of the API server reads are answered, writes say 503, then everything goes on', async () => {
  const input = JSON.stringify({
    apiVersion: 'vexil.dev/v1alpha1',
    kind: 'Project',
    metadata: { name: 'shop', namespace: HOME },
  });
  await plane.kubectlOrThrow(['apply', '-f', '-'], { input });
  const { httpPort } = await start().listening;
  const call = adminClient(`http://127.0.0.1:${httpPort}`);
  await waitUntil({ what: 'the project is served' }, async () => (await call('GET /projects/shop')).status === 200);
  expect((await call('POST /projects/shop/features', { body: { name: 'steady' } })).status).toBe(201);

  await plane.stopApiServer({ signal: 'SIGKILL' });
  expect((await call('GET /projects/shop/features/steady')).status).toBe(200);
  const write = await call('PATCH /projects/shop/features/steady', {
    body: [{ op: 'replace', path: '/description', value: 'lost' }],
  });
  expect([write.status, write.headers.get('retry-after')]).toEqual([503, '1']);
  await plane.startApiServer();

  await plane.kubectlOrThrow([
    'patch',
    'ff',
    'steady',
    '-n',
    HOME,
    '--type=merge',
    '-p',
    '{"spec":{"description":"seen"}}',
  ]);
  await waitUntil({ what: 'the change is served', timeoutMs: 60_000 }, async () => {
    return (await call('GET /projects/shop/features/steady')).body.description === 'seen';
  });
  await plane.kubectlOrThrow(['wait', '-n', HOME, '--for=condition=Ready', '--timeout=60s', 'ff/steady']);
  expect(lines.join('\n')).not.toContain('unhandled');
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it in order with exit code 0', async (signal) => {
  const operator = start();
  await operator.listening;
  operator.send(signal);
  expect(await operator.ended).toEqual({ code: 0, signal: null });
});
