/** Alerts that act: what becomes of the flag, of each alert in the answer, and of the history (docs/alerts.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aRole, aToken, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';
import { type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';
import { untilRecording } from '../support/until-recording.ts';
import { type Writers, writersOf } from '../support/written-as.ts';

const GIT = 'kustomize-controller';
const on = { environments: { production: { enabled: true, strategies: { all: { name: 'default' } } } } };
const rising = {
  name: 'flexibleRollout',
  ramp: { startAt: '2026-01-01T00:00:00Z', steps: [{ rollout: 5, for: '99999h' }, { rollout: 100 }] },
};

let instance: Instance;
let writers: Writers;
let directly: TokensDirectly;
/** Two of the users have only this permission: one in every project, one in the project `pay`. */
const users = ['alertmanager', 'of-pay', 'admin'];
const tokens = new Map<string, string>();

beforeAll(async () => {
  instance = await startInstance('alerts', { settings: { VEXIL_AUTH: 'token' } });
  const { cluster, home, other } = instance;
  writers = writersOf(cluster);
  directly = tokensDirectly(cluster.kubeconfig, home);
  const permissions = [{ name: 'ALERT_ACTION' }] as const;
  await instance.apply(
    aFlag(`${home}/first`),
    aRole(`${home}/acts`, { type: 'root', permissions: [...permissions] }),
    aRole(`${home}/acts-there`, { type: 'project', permissions: [...permissions] }),
    aUser(`${home}/alertmanager`, { rootRole: 'acts' }),
    aUser(`${home}/of-pay`),
    aUser(`${home}/admin`, { rootRole: 'Admin' }),
    aProject(`${other}/pay`, { members: { 'of-pay': 'acts-there' } }),
    ...users.map((user) => aToken(`${home}/${user}`, { type: 'personal', user })),
  );
  for (const user of users) tokens.set(user, await directly.untilReady(user));
  // The history does not record the creation of a flag that exists when it begins.
  await untilRecording(cluster, as('admin'), { flag: '/projects/shop/features/first', namespace: home });
});
afterAll(async () => {
  writers.close();
  directly.close();
  await instance.stop();
});

const STARTS = '2026-03-01T09:30:00.000Z';
const LINK = 'https://prometheus.example.com/graph?g0.expr=errors';

interface Said {
  readonly flag: string;
  readonly action?: string;
  readonly environment?: string;
  readonly project?: string;
  readonly onResolved?: string;
  readonly status?: string;
  readonly startsAt?: string;
}

function alertOf({ flag, action = 'off', environment = 'production', project, onResolved, ...rest }: Said) {
  return {
    status: 'firing',
    startsAt: STARTS,
    labels: {
      alertname: 'Errors',
      vexil_flag: flag,
      vexil_environment: environment,
      ...(project && { vexil_project: project }),
    },
    annotations: { vexil_action: action, ...(onResolved && { vexil_on_resolved: onResolved }) },
    generatorURL: LINK,
    fingerprint: Buffer.from(`${flag} ${environment} ${action}`).toString('hex').slice(0, 64),
    ...rest,
  };
}

const served = (request: string) =>
  waitUntil({ what: request }, async () => (await as('admin')(request)).status === 200);
const as = (user: string) => adminClient(instance.url, { authorization: tokens.get(user) ?? '' });
async function send(said: Said | readonly Said[], { user = 'alertmanager', query = '' } = {}) {
  const alerts = [said].flat().map(alertOf);
  const { status, body, text } = await as(user)(`POST /alerts${query}`, { body: { version: '4', alerts } });
  expect(status, text).toBe(200);
  return body.alerts;
}
const stored = async (flag: string) => (await instance.flag(`${instance.home}/${flag}`)).spec.environments.production;
const flagOn = (name: string, more: object = {}) => aFlag(`${instance.home}/${name}`, { ...on, ...more });

describe('an alert that fires', () => {
  test('switches the flag off once, records its name in the history, and does not act again after users', async () => {
    await instance.apply(flagOn('broken'));
    await served('GET /projects/shop/features/broken');
    expect(await send({ flag: 'broken' })).toEqual([
      {
        ...{ alert: 'Errors', fingerprint: alertOf({ flag: 'broken' }).fingerprint, flag: 'broken' },
        ...{ environment: 'production', outcome: 'done', reason: 'The flag is switched off.' },
      },
    ]);
    expect((await stored('broken')).enabled).toBe(false);

    const events = await untilRecorded(as('admin'), 'feature=IS:broken&type=IS:feature-alert-action', 1);
    expect(events).toMatchObject([
      {
        ...{ createdBy: 'alertmanager', environment: 'production', project: 'shop' },
        data: { alert: 'Errors', link: LINK, action: 'off', startsAt: STARTS },
      },
    ]);
    const [off] = await untilRecorded(as('admin'), 'feature=IS:broken&type=IS:feature-environment-disabled', 1);
    expect(off).toMatchObject({ createdBy: 'alertmanager', createdAt: events[0]?.createdAt });

    const path = '/projects/shop/features/broken/environments/production/on';
    expect((await as('admin')(`POST ${path}`)).status).toBe(200);
    expect(await send({ flag: 'broken' })).toMatchObject([{ outcome: 'already' }]);
    expect((await stored('broken')).enabled).toBe(true);
    expect(await send({ flag: 'broken', startsAt: '2026-03-01T10:30:00Z' })).toMatchObject([{ outcome: 'done' }]);
    expect((await stored('broken')).enabled).toBe(false);
  });

  test('pauses a ramp, and its end resumes the ramp', async () => {
    await instance.apply(
      aFlag(`${instance.home}/ramped`, { environments: { production: { enabled: true, strategies: { rising } } } }),
    );
    await served('GET /projects/shop/features/ramped');
    const pause: Said = { flag: 'ramped', action: 'pause-ramp', onResolved: 'resume' };
    expect(await send(pause)).toMatchObject([{ outcome: 'done', reason: 'One ramp is paused.' }]);
    const paused = await stored('ramped');
    expect(paused).toMatchObject({ enabled: true, strategies: { rising: { ramp: { pausedAt: expect.any(String) } } } });
    expect(await send({ ...pause, status: 'resolved' })).toMatchObject([{ outcome: 'done' }]);
    expect((await stored('ramped')).strategies.rising.ramp).not.toHaveProperty('pausedAt');
  });

  test('switches a flag off only if no other flag would go on', async () => {
    const without = { ...on, dependencies: [{ feature: 'parent', enabled: false }] };
    await instance.apply(flagOn('parent'), flagOn('kept', { dependencies: [{ feature: 'parent' }] }));
    await instance.apply(aFlag(`${instance.home}/child`, without));
    await served('GET /projects/shop/features/child');
    const [refused] = await send({ flag: 'parent' });
    expect([refused.outcome, refused.reason]).toEqual(['refused', expect.stringContaining('switch on "child", which')]);
    expect((await stored('parent')).enabled).toBe(true);
    await as('admin')('POST /projects/shop/features/child/environments/production/off');
    const off = async () => (await send({ flag: 'parent' }))[0].outcome === 'done';
    await waitUntil({ what: 'the child is off' }, off);
    expect((await stored('parent')).enabled).toBe(false);
  });

  test('writes nothing as a dry run', async () => {
    await instance.apply(flagOn('tried'));
    await served('GET /projects/shop/features/tried');
    const body = { version: '4', alerts: [alertOf({ flag: 'tried' })] };
    const headers = { authorization: tokens.get('alertmanager') ?? '' };
    const { body: answer } = await instance.untouched('POST /alerts?dryRun=true', { body, headers });
    expect(answer.alerts).toMatchObject([{ outcome: 'done' }]);
  });
});

test('a resolved alert does nothing, or with vexil_on_resolved: resume switches on what the alert has switched off', async () => {
  await instance.apply(flagOn('ended'), flagOn('resumed'));
  await served('GET /projects/shop/features/resumed');
  const both: readonly Said[] = [{ flag: 'ended' }, { flag: 'resumed', onResolved: 'resume' }];
  expect(await send(both)).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  const ends = both.map((one) => ({ ...one, status: 'resolved' }));
  expect(await send(ends)).toMatchObject([{ outcome: 'ignored' }, { outcome: 'done' }]);
  expect([(await stored('ended')).enabled, (await stored('resumed')).enabled]).toEqual([false, true]);
});

test('an alert switches off during a freeze, and its resolution switches nothing on before the freeze ends', async () => {
  const { home } = instance;
  const freeze = { name: 'summit', from: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' };
  await instance.apply(
    anEnvironment(`${home}/frozen`, { freezes: [freeze] }),
    aFlag(`${home}/iced`, { environments: { frozen: on.environments.production } }),
  );
  await served('GET /projects/shop/features/iced');
  const said: Said = { flag: 'iced', environment: 'frozen', onResolved: 'resume' };
  expect(await send(said)).toMatchObject([{ outcome: 'done' }]);
  const error = { status: 409, name: 'EnvironmentFrozenError' };
  expect(await send({ ...said, status: 'resolved' })).toMatchObject([{ outcome: 'refused', error }]);
  expect((await instance.flag(`${home}/iced`)).spec.environments.frozen.enabled).toBe(false);
});

test('each alert of a notification is answered on its own, with the reason', async () => {
  await instance.apply(flagOn('one-of-many'), flagOn('put-away', { archived: true }));
  await served('GET /projects/shop/features/one-of-many');
  const refused = (status: number, name: string) => ({ outcome: 'refused', error: { status, name } });
  const rows: readonly (readonly [Said, object])[] = [
    [{ flag: '' }, { outcome: 'ignored', flag: null }],
    [{ flag: 'one-of-many', environment: '' }, refused(400, 'ValidationError')],
    [{ flag: 'one-of-many', action: 'delete' }, refused(400, 'ValidationError')],
    [{ flag: 'one-of-many', onResolved: 'on' }, refused(400, 'ValidationError')],
    [{ flag: 'one-of-many', environment: 'nowhere' }, refused(404, 'NotFoundError')],
    [{ flag: 'one-of-many', project: 'pay' }, refused(404, 'NotFoundError')],
    [{ flag: 'not-there' }, refused(404, 'NotFoundError')],
    [{ flag: 'put-away' }, refused(404, 'NotFoundError')],
    [{ flag: 'one-of-many', action: 'pause-ramp' }, { outcome: 'ignored' }],
    [
      { flag: 'one-of-many', environment: 'development' },
      { outcome: 'already', reason: 'The flag is off.' },
    ],
    [{ flag: 'one-of-many', project: 'shop' }, { outcome: 'done' }],
  ];
  expect(await send(rows.map(([said]) => said))).toMatchObject(rows.map(([, want]) => want));
});

describe('a flag that Git owns', () => {
  test('is not changed: 409 for its alert and one Warning Event, whatever force says, also when it is sent again', async () => {
    await writers.apply(GIT, flagOn('held'));
    await instance.judged(flagOn('held'));
    await served('GET /projects/shop/features/held');
    for (const query of ['', '?force=true']) {
      const [answer] = await send({ flag: 'held' }, { query });
      expect(answer).toMatchObject({ outcome: 'refused', error: { status: 409, name: 'FieldManagedError' } });
      expect(answer.reason).toContain(`spec.environments.production.enabled is owned by "${GIT}"`);
      expect(answer.reason).toContain('Change it at its source, or set spec.alerts: Force in the Project');
    }
    expect((await stored('held')).enabled).toBe(true);
    const found = await waitUntil({ what: 'the Event' }, async () => {
      const { items } = await instance.cluster.getObject('events', instance.home);
      const about = items.filter(
        ({ reason, regarding }: Stored) => reason === 'AlertRefused' && regarding.name === 'held',
      );
      return about.length > 0 && about;
    });
    expect(found).toMatchObject([{ type: 'Warning', regarding: { kind: 'FeatureFlag', name: 'held' } }]);
    expect(found[0].note).toContain('Alert Errors (off in production) did not change the flag');
  });

  test('is changed where the Project says alerts: Force', async () => {
    await instance.apply(aProject(`${instance.home}/forced`, { alerts: 'Force' }));
    const flag = aFlag(`${instance.home}/held-there`, { ...on, project: 'forced' });
    await writers.apply(GIT, flag);
    await instance.judged(flag);
    await served('GET /projects/forced/features/held-there');
    expect(await send({ flag: 'held-there' })).toMatchObject([{ outcome: 'done' }]);
    expect((await stored('held-there')).enabled).toBe(false);
    // Other writes are refused as before.
    const path = '/projects/forced/features/held-there/environments/production/strategies/all';
    const { status } = await as('admin')(`PUT ${path}`, { body: { name: 'userWithId' } });
    expect(status).toBe(409);
  });
});

describe('a token with only ALERT_ACTION', () => {
  test('is refused everything else', async () => {
    await instance.apply(flagOn('guarded'));
    const flag = '/projects/shop/features/guarded';
    for (const [request, body] of [
      [`POST ${flag}/environments/production/off`, undefined],
      [`POST ${flag}/environments/production/on`, undefined],
      [`PATCH ${flag}`, [{ op: 'replace', path: '/description', value: 'x' }]],
      [`DELETE ${flag}`, undefined],
      ['POST /api-tokens', { tokenName: 'x', type: 'admin' }],
    ] as const) {
      expect((await as('alertmanager')(request, { body })).status, request).toBe(403);
    }
  });

  test('in one project acts there, is refused elsewhere, and gets the same answer for a missing flag', async () => {
    await instance.apply(flagOn('of-shop'), aFlag(`${instance.other}/far`, { ...on, project: 'pay' }));
    await served('GET /projects/pay/features/far');
    await served('GET /projects/shop/features/of-shop');
    const [near, done, missing] = await send([{ flag: 'of-shop' }, { flag: 'far' }, { flag: 'no-such' }], {
      user: 'of-pay',
    });
    expect(near).toMatchObject({ outcome: 'refused', error: { status: 403, name: 'PermissionError' } });
    expect(done).toMatchObject({ outcome: 'done' });
    expect(missing).toMatchObject({ outcome: 'refused', error: { status: 403, name: 'PermissionError' } });
    expect((await stored('of-shop')).enabled).toBe(true);
    const alerts = [alertOf({ flag: 'of-shop' })];
    const { status } = await as('of-pay')('POST /alerts', { body: { version: '4', alerts } });
    expect(status).toBe(403);
  });
});

test('another version of the format is refused, and unknown properties are dropped', async () => {
  const alerts = [alertOf({ flag: 'first' })];
  const old = await as('alertmanager')('POST /alerts', { body: { version: '3', alerts } });
  expect([old.status, old.body.name]).toEqual([400, 'ValidationError']);
  const newer = { version: '4', notification_reason: 'repeat', routeLabels: {}, alerts };
  expect((await as('alertmanager')('POST /alerts', { body: newer })).status).toBe(200);
});
