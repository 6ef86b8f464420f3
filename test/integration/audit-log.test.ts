/** The audit log of the API server as a second source of the history: it names authors, and it confirms them. */
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openPage, visit } from '../console/browser.ts';
import { createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { type AuditedPlane, startAuditedPlane } from '../support/audit-log/plane.ts';
import { installAuthorPolicy } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { launchChromium } from '../support/chromium.ts';
import { vexil } from '../support/command-line.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { readMetric } from '../support/read-metric.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOME = 'vexil-system';

interface Shown {
  readonly id: number;
  readonly type: string;
  readonly createdBy: string;
  readonly ip: string | null;
  readonly channel: string | null;
  readonly fieldManager: string | null;
  readonly confirmed?: boolean;
  readonly auditLog?: {
    readonly createdBy: string;
    readonly userAgent: string;
    readonly impersonatedBy: string | null;
  };
}

let audited: AuditedPlane;
let app: RunningApp;
let call: Call;
let alice: { readonly kubeconfig: string; readonly username: string };

const eventsOf = async (query: string): Promise<readonly Shown[]> =>
  (await call(`GET /search/events?limit=1000&${query}`)).body.events;
const eventOf = async (flag: string, type: string): Promise<Shown | undefined> =>
  (await eventsOf(`feature=IS:${flag}&type=IS:${type}`))[0];
const untilConfirmed = (flag: string, type: string) =>
  waitUntil({ what: `the log says who caused ${type} of ${flag}` }, async () => {
    const event = await eventOf(flag, type);
    return event?.confirmed === undefined ? undefined : event;
  });
const metric = (outcome: string) => readMetric(app.opsUrl, `vexil_audit_log_writes_total{outcome="${outcome}"}`);

beforeAll(async () => {
  audited = await startAuditedPlane();
  const { plane } = audited;
  await plane.kubectlOrThrow(['create', 'namespace', HOME]);
  const kubeconfig = await grantOperatorRoles(plane, HOME, []);
  alice = await createAccount(plane, { namespace: HOME, name: 'alice', rules: { [HOME]: [[['*'], ['*']]] } });
  await plane.apply([anEnvironment(`${HOME}/production`), aProject(`${HOME}/shop`)]);
  app = await startApp({
    KUBECONFIG: kubeconfig,
    VEXIL_NAMESPACE: HOME,
    VEXIL_AUDIT_LOG_LATE: '20s',
    ...audited.receiving,
  });
  await app.ready();
  call = adminClient(app.url);
  await plane.apply([aFlag(`${HOME}/first`)]);
  await waitUntil(
    { what: 'the flag is known' },
    async () => (await call('GET /projects/shop/features/first')).status === 200,
  );
  await untilRecording(plane, call, { flag: '/projects/shop/features/first', namespace: HOME });
});
afterAll(async () => {
  await app?.stop();
  await audited?.stop();
});

const kubectl = (args: readonly string[]) =>
  audited.plane.kubectlOrThrow([...args, '-n', HOME], { kubeconfig: alice.kubeconfig });

describe('without the author policy', () => {
  test('a deletion with kubectl has its author, address and tool, in searches and in its Event', async () => {
    await audited.plane.apply([aFlag(`${HOME}/gone`)]);
    await waitUntil({ what: 'it is recorded' }, () => eventOf('gone', 'feature-created'));
    await kubectl(['delete', 'ff', 'gone']);
    const event = await untilConfirmed('gone', 'feature-deleted');
    expect(event).toMatchObject({ createdBy: alice.username, ip: '127.0.0.1', channel: 'kubernetes', confirmed: true });
    expect(event.fieldManager).toBe('kubectl');
    expect(event.auditLog?.userAgent).toMatch(/^kubectl\/v/);
    expect(await eventsOf(`author=alice&type=IS:feature-deleted`)).toMatchObject([{ id: event.id }]);
    expect(await eventsOf('channel=IS:kubectl&type=IS:feature-deleted')).toMatchObject([{ id: event.id }]);
    await waitUntil({ what: 'its Event names the author' }, async () => {
      const { items } = (await audited.plane.request({ method: 'GET', path: objectPath('events', HOME) })) as {
        items: { readonly note: string }[];
      };
      return items.some(({ note }) => note.includes('gone was deleted') && note.includes(alice.username));
    });
  });

  test('a change that only a field manager signed has the user who made it', async () => {
    await kubectl(['patch', 'ff', 'first', '--type=merge', '-p', '{"spec":{"description":"by alice"}}']);
    await waitUntil({ what: 'the change is confirmed' }, async () => {
      const event = await eventOf('first', 'feature-metadata-updated');
      return event?.createdBy === alice.username && event.fieldManager === 'kubectl-patch' && event.confirmed;
    });
  });

  test('a change through the admin API is confirmed, with the address of its caller', async () => {
    await call('PATCH /projects/shop/features/first', {
      body: [{ op: 'replace', path: '/stale', value: true }],
      headers: { 'content-type': 'application/json' },
    });
    const event = await untilConfirmed('first', 'feature-stale-on');
    expect(event).toMatchObject({ createdBy: 'unknown', channel: 'api', confirmed: true, ip: '127.0.0.1' });
  });

  test('an impersonated user is named, and who acted as the user', async () => {
    await audited.plane.kubectlOrThrow([
      ...['patch', 'ff', 'first', '-n', HOME, '--as=bob', '--as-group=system:masters', '--type=merge'],
      ...['-p', '{"spec":{"type":"experiment"}}'],
    ]);
    await waitUntil({ what: 'the newest change is confirmed' }, async () => {
      const newest = await eventOf('first', 'feature-metadata-updated');
      return newest?.auditLog?.createdBy === 'bob' && newest.auditLog.impersonatedBy === 'admin';
    });
  });

  test('a forged stamp is contradicted, and stays as it was recorded', async () => {
    const metadata = { annotations: { 'vexil.dev/changed-by': 'the-boss', 'vexil.dev/changed-generation': '2' } };
    await audited.plane.apply([aFlag(`${HOME}/forged`)]);
    await waitUntil({ what: 'it is recorded' }, () => eventOf('forged', 'feature-created'));
    await kubectl([
      'patch',
      'ff',
      'forged',
      '--type=merge',
      '-p',
      JSON.stringify({ metadata, spec: { description: 'x' } }),
    ]);
    const event = await untilConfirmed('forged', 'feature-metadata-updated');
    expect(event).toMatchObject({ createdBy: 'the-boss', confirmed: false, auditLog: { createdBy: alice.username } });
    expect(await metric('contradicted')).toBe(1);
    await untilConfirmed('forged', 'feature-created');
  });

  test('the console and the command line show what is confirmed, and what is contradicted', async () => {
    const contradiction = `contradicted: the API server names ${alice.username}`;
    const browser = await launchChromium();
    try {
      const { page, faults } = await visit(browser, app.url);
      const rowOf = async (flag: string, text: string) => {
        await openPage(page, `${app.url}/events?feature=${flag}`);
        return page.locator('tbody tr', { hasText: text }).first();
      };
      await (await rowOf('gone', 'feature-deleted')).getByText('confirmed', { exact: true }).waitFor();
      await (await rowOf('forged', 'feature-metadata-updated')).getByText(contradiction).waitFor();
      await expectAccessible(page);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
    const lines = async (flag: string) => {
      const environment = { VEXIL_SERVER: app.url };
      return (await vexil(['history', flag], { environment })).stdout;
    };
    expect(await lines('gone')).toContain(`${alice.username} (confirmed)  feature-deleted`);
    expect(await lines('forged')).toContain(`the-boss (${contradiction})  feature-metadata-updated`);
  });

  test('dry runs, refused writes and writes that change nothing name nobody', async () => {
    const taken = await metric('taken');
    await kubectl(['delete', 'ff', 'first', '--dry-run=server']);
    const patch = ['patch', 'ff', 'forged', '--type=merge', '-p', '{"spec":{"description":"x"}}'];
    await audited.plane.kubectlOrThrow([...patch, '-n', HOME, '--as=bob', '--as-group=system:masters']);
    await waitUntil({ what: 'the log has it' }, async () => (await metric('taken')) > taken);
    expect((await eventOf('forged', 'feature-metadata-updated'))?.auditLog?.createdBy).toBe(alice.username);
  });
});

test('with the author policy, stamps are confirmed', async () => {
  await installAuthorPolicy(audited.plane, [HOME]);
  await kubectl(['patch', 'ff', 'first', '--type=merge', '-p', '{"spec":{"description":"stamped"}}']);
  await waitUntil({ what: 'it is confirmed' }, async () => {
    const event = await eventOf('first', 'feature-metadata-updated');
    return event?.confirmed === true && event.createdBy === alice.username;
  });
});

describe('the port', () => {
  interface Sent {
    readonly token?: string;
    readonly body: unknown;
  }
  const send = ({ token, body }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port, ca } = audited;
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const sent = request({ host: '127.0.0.1', port, ca, method: 'POST', path: '/', headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  const list = (items: readonly unknown[]) => ({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items });

  test('refuses who has no token, and what is no list of events', async () => {
    expect(await send({ body: list([]) })).toBe(401);
    expect(await send({ token: 'a-wrong-token-of-the-audit-log-01', body: list([]) })).toBe(401);
    const { token } = audited;
    expect(await send({ token, body: list([]) })).toBe(200);
    expect(await send({ token, body: { kind: 'List' } })).toBe(400);
    expect(await send({ token, body: '{' })).toBe(400);
    expect(await send({ token, body: list(Array.from({ length: 5_001 }, () => 0)) })).toBe(413);
    expect(await send({ token, body: `"${'x'.repeat(17 * 1024 * 1024)}"` })).toBe(413);
  });

  test('events that are sent again, or of what never was, change nothing', async () => {
    const before = await eventsOf('limit=1000');
    const lines = (await (await import('node:fs/promises')).readFile(audited.logFile, 'utf8')).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    const repeated = (await metric('repeated')) ?? 0;
    const forged = {
      ...events.at(-1),
      auditID: 'forged',
      responseObject: { metadata: { uid: 'never', resourceVersion: '1' } },
    };
    expect(await send({ token: audited.token, body: list([...events, ...events, forged, 'odd', {}, null]) })).toBe(200);
    await waitUntil({ what: 'they are known' }, async () => ((await metric('repeated')) ?? 0) > repeated);
    expect(await eventsOf('limit=1000')).toEqual(before);
  });
});

test('entries that the log lacks are a visible state', async () => {
  expect(await readMetric(app.opsUrl, 'vexil_audit_log_up')).toBe(1);
  expect(await (await fetch(`${app.opsUrl}/readyz`)).text()).toContain('"audit-log":{"ok":true,"detail":"arrives"}');
});
