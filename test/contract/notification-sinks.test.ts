/** GET /notification-sinks: who sees which sinks, and that nothing secret about a receiver is in the answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, type Rule } from '../support/account.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, aProject, aSink, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import { personalTokens } from '../support/personal-tokens.ts';
import { createSinkSecret } from '../support/sink-secret.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const BOOTSTRAP = 'the-bootstrap-token';
/** What must never be in an answer: parts of URLs, the value of a Secret and its name. */
const HIDDEN = ['path-part', 'query-part', 'fragment', 'of-slack', 'slack-url'];

let instance: Instance;
let receiver: WebhookReceiver;
const values = new Map<string, string>([['bootstrap', BOOTSTRAP]]);

const read = (...names: readonly string[]): Rule =>
  names.length > 0 ? [['get'], ['projects'], names] : [['get'], ['projects']];
const KINDS = ['environments', 'flagusers', 'flagroles', 'strategydefinitions', 'apitokens', 'segments'];
const EVERY_KIND: Rule = [
  ['get', 'list'],
  [...KINDS, 'notificationsinks', 'featureflags', 'projects'],
];

const ALL = ['home/chat', 'home/failing', 'home/taken', 'other/refused'];
const OTHERS = ['other/refused'];

const accounts: Readonly<Record<string, readonly [home: readonly Rule[], other: readonly Rule[], string[]]>> = {
  'who may do nothing': [[], [], []],
  'who reads the projects at home': [[read()], [], []],
  'who reads the projects elsewhere': [[], [read()], OTHERS],
  'who reads one of two projects by its name': [[], [read('pay')], []],
  'who reads both projects by their names': [[], [read('pay', 'loans')], OTHERS],
  'who lists sinks, but reads no project': [[], [[['get', 'list'], ['notificationsinks']]], []],
  // Sinks at home also carry entries of namespaces that were watched before.
  'who reads everything in the watched namespaces only': [[EVERY_KIND], [EVERY_KIND], OTHERS],
};
const users: Readonly<Record<string, readonly [root: string | undefined, string[]]>> = {
  viewer: [undefined, OTHERS],
  editor: ['Editor', OTHERS],
  admin: ['Admin', ALL],
};

beforeAll(async () => {
  receiver = await startReceiver();
  const settings = {
    ...{ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP },
    ...{ VEXIL_SINK_ALLOWED_NETWORKS: '127.0.0.1', VEXIL_SINK_RETRY_MAX: '50ms', VEXIL_SINK_STATUS_INTERVAL: '100ms' },
  };
  instance = await startInstance('sinks-http', { settings });
  const { home, other, cluster } = instance;
  const value = 'https://slack.invalid/of-slack';
  await createSinkSecret(cluster, { namespace: home, name: 'slack-url', sink: 'chat', value });
  const { spec: _, ...chat } = aSink(`${home}/chat`);
  await instance.apply(
    aProject(`${other}/loans`),
    ...Object.entries(users).map(([name, [rootRole]]) => aUser(`${home}/${name}`, rootRole ? { rootRole } : {})),
    aSink(`${home}/taken`, { url: `${receiver.url}/path-part?query-part=1`, filter: { environments: ['production'] } }),
    aSink(`${home}/failing`, { url: 'https://hooks.invalid:8443/path-part?key=query-part' }),
    { ...chat, spec: { type: 'Slack', secretRef: { name: 'slack-url' } } },
    aSink(`${other}/refused`, {
      url: 'https://10.0.0.1/path-part',
      filter: { projects: ['pay'], types: ['feature-created'], expression: 'event.createdBy == "ada@example.com"' },
    }),
  );
  for (const [user, token] of await personalTokens({ cluster, home }, Object.keys(users))) values.set(user, token);
  await grantReviews(cluster, home);
  for (const [index, [name, [atHome, elsewhere]]] of Object.entries(accounts).entries()) {
    const rules = { [home]: atHome, [other]: elsewhere };
    values.set(name, (await createAccount(cluster, { namespace: home, name: `account-${index}`, rules })).token);
  }
});
afterAll(async () => {
  await instance.stop();
  await receiver.stop();
});

const as = (name: string) => adminClient(instance.url, { authorization: values.get(name) ?? '' });

async function sinksFor(name: string): Promise<readonly Stored[]> {
  const { status, body, text } = await as(name)('GET /notification-sinks');
  expect(status, text).toBe(200);
  for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
  return body.notificationSinks;
}

const placeOf = ({ namespace, name }: Stored) => `${namespace === instance.home ? 'home' : 'other'}/${name}`;

async function expectSeen(name: string, want: readonly string[]): Promise<void> {
  await waitUntil({ what: `${name} is let in` }, async () => (await as(name)('GET /feature-types')).status === 200);
  expect((await sinksFor(name)).map(placeOf).toSorted()).toEqual(want);
}

describe('the sinks that are seen', () => {
  test('by an admin token', () => expectSeen('bootstrap', ALL));
  test.each(Object.entries(users))('by a user: %s', (name, [, want]) => expectSeen(name, want));
  test.each(Object.entries(accounts))('by a Kubernetes user %s', (name, [, , want]) => expectSeen(name, want));
});

async function untilSink(name: string, isAsWanted: (sink: Stored) => boolean): Promise<Stored> {
  return waitUntil({ what: `the sink ${name}` }, async () => {
    const found = (await sinksFor('bootstrap')).find((sink) => sink.name === name);
    return found && isAsWanted(found) ? found : undefined;
  });
}

describe('what is said about a sink', () => {
  beforeAll(async () => {
    const { cluster, home } = instance;
    const strategies = { all: { name: 'default' } };
    await instance.apply(aFlag(`${home}/begun`, { environments: { production: { strategies } } }));
    await untilRecording(cluster, as('bootstrap'), { flag: '/projects/shop/features/begun', namespace: home });
    expect((await as('bootstrap')('POST /projects/shop/features/begun/environments/production/on')).status).toBe(200);
  });

  test('one that delivers', async () => {
    const sink = await untilSink('taken', ({ lastDelivered, lag }) => lastDelivered !== null && lag.entries === 0);
    expect(sink).toMatchObject({
      ...{ type: 'Webhook', host: new URL(receiver.url).host, ready: true, reason: null, setAside: 0 },
      ...{ subject: null, lastSetAside: null, failingSince: null, lastError: null, lag: { entries: 0, seconds: 0 } },
      filter: { projects: [], environments: ['production'], types: [], expression: null },
      lastDelivered: { id: expect.any(Number), at: expect.stringMatching(/Z$/) },
    });
  });

  test('one whose receiver fails', async () => {
    const sink = await untilSink('failing', ({ failingSince }) => failingSince !== null);
    expect(sink).toMatchObject({ host: 'hooks.invalid:8443', ready: false, reason: 'ReceiverFailing' });
    expect(sink.lastError).toMatch(/^the connection failed/);
  });

  test('one whose URL is in a Secret', async () => {
    const sink = await untilSink('chat', ({ failingSince }) => failingSince !== null);
    expect(sink).toMatchObject({ type: 'Slack', host: null, ready: false });
  });

  test('one that is not in effect; addresses are masked for those who may not read users', async () => {
    const sink = await untilSink('refused', ({ ready }) => ready === false);
    expect(sink).toMatchObject({ host: '10.0.0.1', reason: 'AddressNotAllowed', lastDelivered: null });
    expect(sink.filter.expression).toContain('ada@example.com');
    const [masked] = await sinksFor('who reads the projects elsewhere');
    expect(masked?.filter.expression).toBe('event.createdBy == "a…@example.com"');
  });
});
