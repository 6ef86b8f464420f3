/** The alert rule of docs/alerts.md with a real Alertmanager: it fires, and the flag is off. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type Answer, adminClient, type CallOptions } from '../support/admin-client.ts';
import { aFlag, aProject, aToken, aUser, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { selectorsIn } from '../support/promql.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';
import { type Alertmanager, type SentAlert, startAlertmanager } from '../support/tools/alertmanager.ts';
import { untilRecording } from '../support/until-recording.ts';
import { writersOf } from '../support/written-as.ts';

const PAGE = new URL('../../docs/alerts.md', import.meta.url);
const TOKEN_FILE = '/etc/alertmanager/secrets/vexil-token-alertmanager/token';
const SERVICE = 'http://vexil.vexil-system.svc:4242';

let instance: Instance;
let directly: TokensDirectly;
let manager: Alertmanager;
let folder: string;
let admin: string;
/** The rule of the page. */
let rule: Stored;

/** Returns the examples of the page: the manifests for Vexil, the configuration of Alertmanager, the rule. */
async function examples(): Promise<readonly string[]> {
  const blocks = (await readFile(PAGE, 'utf8')).matchAll(/^ {3}```yaml\n(.*?)^ {3}```$/gms);
  return [...blocks].map(([, text = '']) => text.replace(/^ {3}/gm, ''));
}

function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [old, next]) => {
    expect(text).toContain(old);
    return changed.replaceAll(old, next);
  }, text);
}

beforeAll(async () => {
  instance = await startInstance('alertmanager', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, url } = instance;
  directly = tokensDirectly(cluster.kubeconfig, home);
  const [access = '', config = '', ruleText = ''] = await examples();
  const manifests = parseAllDocuments(replaced(access, { 'vexil-system': home })).map((one): Manifest => one.toJS());
  await instance.apply(
    ...manifests,
    aUser(`${home}/admin`, { rootRole: 'Admin' }),
    aToken(`${home}/admin`, { type: 'personal', user: 'admin' }),
    aFlag(`${home}/first`),
  );
  [rule] = parse(ruleText).spec.groups[0].rules;
  admin = await directly.untilReady('admin');
  folder = await mkdtemp(join(tmpdir(), 'vexil-alerts-'));
  const token = join(folder, 'token');
  await writeFile(token, await directly.untilReady('alertmanager'));
  // Alertmanager repeats alerts at once, instead of after minutes.
  const quick = { 'group_interval: 1m': 'group_interval: 1s', 'repeat_interval: 1h': 'repeat_interval: 1s' };
  manager = await startAlertmanager(replaced(config, { [TOKEN_FILE]: token, [SERVICE]: url, ...quick }));
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
}, 900_000);
afterAll(async () => {
  await manager?.stop();
  directly.close();
  await rm(folder, { recursive: true, force: true });
  await instance.stop();
});

function call(request: string, options?: CallOptions): Promise<Answer> {
  return adminClient(instance.url, { authorization: admin })(request, options);
}

const flagOn = (name: string, more: object = {}) =>
  aFlag(`${instance.home}/${name}`, {
    environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } },
    ...more,
  });

/** The alert of the rule in the form that Prometheus sends. */
function alertFor(flag: string, annotations: Readonly<Record<string, string>> = {}): SentAlert {
  return {
    labels: { ...rule.labels, alertname: rule.alert, vexil_flag: flag },
    annotations: { ...rule.annotations, ...annotations },
    startsAt: new Date().toISOString(),
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=errors',
  };
}

const isOn = async (flag: string) =>
  (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production.enabled;
const until = (flag: string, want: boolean) =>
  waitUntil({ what: `${flag} is ${want ? 'on' : 'off'}; ${manager.log()}`, timeoutMs: 60_000 }, async () =>
    (await isOn(flag)) === want ? true : undefined,
  );

/** Resolves when the present alerts have been sent again. */
async function untilSentAgain(): Promise<void> {
  const before = await manager.webhooks('alertmanager_notifications_total');
  await waitUntil(
    { what: 'alerts are sent again', timeoutMs: 120_000 },
    async () => (await manager.webhooks('alertmanager_notifications_total')) >= before + 3,
  );
}

test('Prometheus accepts the rule of the page, with its templates in labels', () => {
  expect(selectorsIn(rule.expr).map(({ metric }) => metric)).toEqual(['http_requests_total', 'http_requests_total']);
  expect({ ...rule.labels, ...rule.annotations }).toMatchObject({
    vexil_flag: expect.any(String),
    vexil_environment: 'production',
    vexil_action: 'off',
  });
});

test('its alert switches the flag off once, and a user who switches it on again keeps it on', async () => {
  const name = rule.labels.vexil_flag;
  await instance.apply(flagOn(name));
  await manager.send(alertFor(name));
  await until(name, false);
  const [event] = await untilRecorded(call, `feature=IS:${name}&type=IS:feature-alert-action`, 1);
  expect(event).toMatchObject({ createdBy: 'alertmanager', data: { alert: 'CheckoutErrors', action: 'off' } });
  expect((await call(`POST /projects/shop/features/${name}/environments/production/on`)).status).toBe(200);
  await untilSentAgain();
  expect(await isOn(name)).toBe(true);
});

test('its resolution switches the flag on again only with vexil_on_resolved: resume', async () => {
  await instance.apply(flagOn('stays'), flagOn('resumes'));
  const fired = [alertFor('stays'), alertFor('resumes', { vexil_on_resolved: 'resume' })];
  await manager.send(...fired);
  await until('stays', false);
  await until('resumes', false);
  await manager.send(...fired.map((one) => ({ ...one, endsAt: new Date().toISOString() })));
  await until('resumes', true);
  expect(await isOn('stays')).toBe(false);
});

test('a flag that Git owns stays on and gets an Event, or is switched off if the Project says alerts: Force', async () => {
  const writers = writersOf(instance.cluster);
  const forced = flagOn('forced', { project: 'forced' });
  await instance.apply(aProject(`${instance.home}/forced`, { alerts: 'Force' }));
  for (const flag of [flagOn('held'), forced]) await writers.apply('kustomize-controller', flag);
  writers.close();
  await instance.judged(flagOn('held'), forced);
  await manager.send(alertFor('held'), alertFor('forced'));
  await until('forced', false);
  await waitUntil({ what: 'the Event of the flag', timeoutMs: 60_000 }, async () => {
    const { items }: Stored = await instance.cluster.getObject('events', instance.home);
    return items.some(({ reason, regarding }: Stored) => reason === 'AlertRefused' && regarding.name === 'held');
  });
  expect(await isOn('held')).toBe(true);
  expect(await manager.webhooks('alertmanager_notifications_failed_total')).toBe(0);
});
