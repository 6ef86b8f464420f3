/** The clock of the operator's machine is set forward and back, with windows, ramps and freezes planned in between. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { adminClient, type Call } from '../support/admin-client.ts';
import { installAuthorPolicy } from '../support/author-policy.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { recorded, untilRecorded } from '../support/recorded-events.ts';
import { type RunningApp, startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';
import { untilRecording } from '../support/until-recording.ts';

const HOUR_MS = 3_600_000;
const cluster = sharedCluster();
let home: string;
let ada: Account;
let app: RunningApp;
let call: Call;
let aheadMs = 0;

beforeAll(async () => {
  home = await cluster.freshNamespace('clock');
  await cluster.apply([anEnvironment(`${home}/production`), aProject(`${home}/shop`), aFlag(`${home}/first`)]);
  await installAuthorPolicy(cluster, [home]);
  ada = await createAccount(cluster, { namespace: home, name: 'ada', rules: { [home]: [[['*'], ['*']]] } });
  const KUBECONFIG = await grantOperatorRoles(cluster, home, []);
  app = await startApp({ KUBECONFIG, VEXIL_NAMESPACE: home }, () => Date.now() + aheadMs);
  await app.ready();
  call = adminClient(app.url);
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
});
afterAll(() => app?.stop());

test('SDKs, statuses and the history follow within seconds when it is set forward, and stay when it is set back', async () => {
  const zero = Math.ceil(Date.now() / 1000) * 1000;
  const at = (hours: number) => new Date(zero + hours * HOUR_MS).toISOString();
  const ramp = { startAt: at(1), steps: [{ rollout: 5, for: '2h' }, { rollout: 50, for: '2h' }, { rollout: 100 }] };
  const production = {
    enabled: true,
    activeFrom: at(2),
    activeUntil: at(9),
    strategies: { s: { name: 'flexibleRollout', ramp } },
  };
  const manifests = [
    aFlag(`${home}/planned`, { environments: { production } }),
    anEnvironment(`${home}/production`, { freezes: [{ name: 'night', from: at(3), until: at(5) }] }),
  ];
  await cluster.kubectlOrThrow(['apply', '--server-side', '--force-conflicts', '-f', '-'], {
    kubeconfig: ada.kubeconfig,
    input: manifests.map((one) => JSON.stringify(one)).join('\n---\n'),
  });
  const sdk = async () => {
    const { body } = await call('GET //api/client/features/planned?environment=production');
    return body?.enabled === undefined ? [] : [body.enabled, body.strategies[0]?.parameters.rollout];
  };
  const flag = async () => (await cluster.getObject('featureflags/planned', home)).status;
  const moments = async (filter: string) =>
    (await recorded(call, filter))
      .filter(({ type }: Stored) => /-window-(opened|closed)$|-ramp-step$|-freeze-/.test(type))
      .map(({ type, createdAt, createdBy }: Stored) => [type, createdAt, createdBy]);
  const by = ada.username;
  await waitUntil({ what: 'the plan is judged' }, async () => (await flag())?.environments?.production?.window);
  await untilRecorded(call, 'feature=IS:planned&type=IS:feature-created', 1);
  await untilRecorded(call, 'environment=IS:production&type=IS:environment-updated', 1);
  expect(await flag()).toMatchObject({ environments: { production: { enabled: false, window: 'Scheduled' } } });

  aheadMs = 3.5 * HOUR_MS;
  await waitUntil({ what: 'SDKs read the second step' }, async () => (await sdk())[1] === '50');
  expect(await sdk()).toEqual([true, '50']);
  const judged = await waitUntil({ what: 'the status has followed' }, async () => {
    const status = await flag();
    return status.changedByTimeAt === at(3) && status;
  });
  expect(judged).toMatchObject({ enabledIn: 'production', environments: { production: { window: 'Open' } } });
  const opened = [
    ['feature-window-opened', at(2), by],
    ['feature-ramp-step', at(3), by],
  ];
  await expect.poll(() => moments('feature=IS:planned')).toEqual(expect.arrayContaining(opened));
  const began = ['environment-freeze-began', at(3), by];
  await expect.poll(() => moments('environment=IS:production')).toContainEqual(began);
  const frozen = async () => (await cluster.getObject('environments/production', home)).status;
  await expect.poll(frozen).toMatchObject({ freeze: { name: 'night' }, changedByTimeAt: at(3) });

  const before = await moments('');
  aheadMs = 0;
  await cluster.apply([aFlag(`${home}/after`, { environments: { production: { enabled: true } } })]);
  await untilRecorded(call, 'feature=IS:after', 1);
  expect([await sdk(), await moments('')]).toEqual([[true, '50'], before]);
  expect((await flag()).changedByTimeAt).toBe(at(3));
});

test('a weekly freeze begins and ends by the clocks of its time zone, also in the nights when they change', async () => {
  const night = { name: 'night', from: '20:00', until: '06:00', timeZone: 'Europe/Berlin', firstDay: '2035-03-24' };
  await cluster.apply([anEnvironment(`${home}/staging`, { freezes: [{ ...night, days: ['Sat'] }] })]);
  const freeze = async () => (await cluster.getObject('environments/staging', home)).status?.freeze;
  const clock = () => Date.now() + aheadMs;
  /** Sets the clock forward to just before a moment; resolves with the status after it. */
  const pass = async (moment: string, isFrozen: boolean) => {
    aheadMs = Date.parse(moment) - 1000 - Date.now();
    const what = `${moment}: ${isFrozen ? 'frozen' : 'free'}`;
    const found = await waitUntil({ what }, async () => {
      const present = await freeze();
      return (present !== undefined) === isFrozen && [present];
    });
    expect(clock(), what).toBeGreaterThanOrEqual(Date.parse(moment));
    return found[0];
  };
  // A night lasts nine hours when the clocks go forward, and eleven hours when they go back.
  const nights = [
    ['2035-03-24T19:00:00Z', '2035-03-25T04:00:00Z'],
    ['2035-10-27T18:00:00Z', '2035-10-28T05:00:00Z'],
  ] as const;
  for (const [from, until] of nights) {
    expect(await pass(from, true)).toEqual({ name: 'night', until });
    expect(await pass(until, false)).toBeUndefined();
    const moments = async () =>
      (await recorded(call, 'environment=IS:staging'))
        .filter(({ type }: Stored) => type.startsWith('environment-freeze-'))
        .map(({ type, createdAt }: Stored) => [type, Date.parse(createdAt)]);
    await expect.poll(moments).toEqual(
      expect.arrayContaining([
        ['environment-freeze-began', Date.parse(from)],
        ['environment-freeze-ended', Date.parse(until)],
      ]),
    );
  }
});
