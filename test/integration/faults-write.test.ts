/** The rows of the failure table about writing: concurrent writers, lost answers, refusals of the API server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { alertActionsIn } from '../../src/schema/alert-action.ts';
import type { Answer } from '../support/admin-client.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { SeenRequest } from '../support/fault-proxy/exchange.ts';
import { type Fault, hold, lostAnswer, refusal, reset, stall } from '../support/fault-proxy/faults.ts';
import { type FlagsDirectly, flagsDirectly, type StoredObject } from '../support/fault-proxy/flags-directly.ts';
import {
  type BehindProxy,
  startBehindProxy,
  untilConverged,
  untilJudged,
} from '../support/fault-proxy/operator-behind-proxy.ts';
import { expectFired, on, requestsFor, timesFired } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const cluster = sharedCluster();
let home: string;
let flags: FlagsDirectly;
let operator: BehindProxy;
let name: string;
let round = 0;

beforeAll(async () => {
  home = await cluster.freshNamespace('faults-write');
  const kubeconfig = await grantOperatorRoles(cluster, home, []);
  flags = flagsDirectly(cluster.kubeconfig, home);
  for (const environment of ['development', 'production']) await flags.apply('Environment', environment, {});
  await flags.apply('Project', 'shop', {});
  operator = await startBehindProxy({ plane: cluster, kubeconfig, home, settings: { VEXIL_API_SERVER_TIMEOUT: '5s' } });
  await operator.ready();
});

beforeEach(async () => {
  round += 1;
  name = `flag-${round}`;
  const strategies = { all: { name: 'default' } };
  const environments = { development: { enabled: false, strategies }, production: { enabled: false, strategies } };
  await flags.apply('FeatureFlag', name, { project: 'shop', description: 'before', environments });
  await untilJudged(operator, flags, name);
});

afterEach(({ task }) => operator.endTest(task.name));
afterAll(async () => {
  await operator.stop('after the tests');
  flags.close();
});

const writesSpec = on('featureflags', 'patch', 'create', 'delete');
const setField = (field: string, value: unknown, headers = {}): Promise<Answer> => {
  const body = [{ op: 'replace', path: `/${field}`, value }];
  return operator.call(`PATCH /projects/shop/features/${name}`, { body, headers });
};
const turn = (environment: string, position: 'on' | 'off'): Promise<Answer> => {
  return operator.call(`POST /projects/shop/features/${name}/environments/${environment}/${position}`);
};
const stored = async () => (await flags.get(name)).spec;

/** Injects a fault into the next write. */
function faultNextWrite(fault: Fault): void {
  operator.proxy.inject({ fault, match: writesSpec, times: 1 });
}

const untilFired = (fault: Fault) =>
  waitUntil({ what: `${fault.name} has happened` }, () => timesFired(operator.proxy, fault) > 0);

/**
 * Begins when the operator has noticed: a write on a connection that has just closed would be one of unknown outcome.
 */
async function whilePortIsClosed<T>(act: () => Promise<T>): Promise<T> {
  const before = operator.log.length;
  await operator.proxy.close();
  try {
    await waitUntil({ what: 'a watch cannot reach the port' }, () =>
      operator.log.slice(before).some((line) => JSON.stringify(line).includes('ECONNREFUSED')),
    );
    return await act();
  } finally {
    await operator.proxy.open();
  }
}

describe('two writers on one flag', () => {
  test('through the admin API, the slower one on an old version: both changes are stored', async () => {
    faultNextWrite(hold);
    const slow = setField('description', 'of the slow one');
    await untilFired(hold);
    expect((await turn('production', 'on')).status).toBe(200);
    operator.proxy.release();
    expect((await slow).status).toBe(200);
    const spec = await stored();
    expect([spec.description, spec.environments.production.enabled]).toEqual(['of the slow one', true]);
    await untilConverged(operator, flags);
    expectFired(operator.proxy, hold);
  });

  test('one with kubectl, one through the admin API: both changes are stored', async () => {
    faultNextWrite(hold);
    const slow = turn('production', 'on');
    await untilFired(hold);
    await flags.patch(name, { description: 'by kubectl', environments: { development: { enabled: true } } });
    operator.proxy.release();
    expect((await slow).status).toBe(200);
    const { description, environments } = await stored();
    expect([description, environments.development.enabled, environments.production.enabled]).toEqual([
      'by kubectl',
      true,
      true,
    ]);
    await untilConverged(operator, flags);
    expectFired(operator.proxy, hold);
  });

  test('one of them requires the version it read: it is refused, and the other change stays', async () => {
    const seen = await operator.call(`GET /projects/shop/features/${name}`);
    faultNextWrite(hold);
    const slow = setField('description', 'of the slow one', { 'if-match': seen.headers.get('etag') ?? '' });
    await untilFired(hold);
    await flags.patch(name, { description: 'by kubectl' });
    operator.proxy.release();
    expect((await slow).status).toBe(412);
    expect((await stored()).description).toBe('by kubectl');
    await untilConverged(operator, flags);
    expectFired(operator.proxy, hold);
  });

  test('one of them loses again and again: it gets 409 after a few tries, and none of its changes is stored', async () => {
    const conflict = refusal(409, { reason: 'Conflict' });
    operator.proxy.inject({ fault: conflict, match: writesSpec });
    const answer = await setField('description', 'never');
    expect([answer.status, answer.body.name]).toEqual([409, 'ConcurrentUpdateError']);
    expect((await stored()).description).toBe('before');
    expectFired(operator.proxy, conflict, 2);
    expect(requestsFor(operator.proxy.arrived, 'featureflags', 'patch').length).toBeLessThanOrEqual(6);
  });
});

describe('if the answer to a write is lost, the caller gets 503, and', () => {
  function expectUnknown({ status, headers, body }: Answer): void {
    expect([status, body.name]).toEqual([503, 'UnavailableError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body.message).toContain('broke before it answered');
  }

  test('the change appears without a retry, and a retry changes nothing more', async () => {
    faultNextWrite(lostAnswer);
    expectUnknown(await setField('description', 'after'));
    expect((await stored()).description).toBe('after');
    await untilConverged(operator, flags);
    const { generation } = (await flags.get(name)).metadata;
    expect((await setField('description', 'after')).status).toBe(200);
    expect((await flags.get(name)).metadata.generation).toBe(generation);
    expectFired(operator.proxy, lostAnswer);
    expect(requestsFor(operator.proxy.reached, 'featureflags', 'patch').length).toBe(1);
  });

  test('a changed switch is the same after a retry', async () => {
    faultNextWrite(lostAnswer);
    expectUnknown(await turn('production', 'on'));
    expect((await turn('production', 'on')).status).toBe(200);
    const { metadata, spec } = await flags.get(name);
    expect([metadata.generation, spec.environments.production.enabled]).toEqual([2, true]);
    expectFired(operator.proxy, lostAnswer);
  });

  test('a new flag is created once: a retry is refused because the name is taken', async () => {
    faultNextWrite(lostAnswer);
    const body = { name: `made-${round}` };
    expectUnknown(await operator.call('POST /projects/shop/features', { body }));
    const again = await operator.call('POST /projects/shop/features', { body });
    expect([again.status, again.body.name]).toEqual([409, 'NameExistsError']);
    await untilConverged(operator, flags);
    expectFired(operator.proxy, lostAnswer);
  });

  test('a deleted archived flag is gone: a retry does not find it', async () => {
    await flags.patch(name, { archived: true });
    const isArchived = async () => (await operator.call(`GET /projects/shop/features/${name}`)).status === 404;
    await waitUntil({ what: 'the flag is archived' }, isArchived);
    faultNextWrite(lostAnswer);
    expectUnknown(await operator.call(`DELETE /archive/${name}`));
    await waitUntil({ what: 'the watch has reported the deletion' }, async () => {
      return (await operator.call(`DELETE /archive/${name}`)).status === 404;
    });
    await untilConverged(operator, flags);
    expectFired(operator.proxy, lostAnswer);
  });
});

describe('a write that the API server does not accept', () => {
  test.each<[string, Fault, number]>([
    ['because it is too busy', refusal(429, { retryAfterSeconds: 3 }), 3],
    ['because it fails', refusal(500), 1],
    ['because the connection breaks first', reset, 1],
  ])(
    '%s is answered 503 with the time to try again; nothing is written, and it is not retried',
    async (_, fault, seconds) => {
      faultNextWrite(fault);
      const answer = await setField('description', 'after');
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, String(seconds)]);
      expect((await stored()).description).toBe('before');
      expectFired(operator.proxy, fault);
      expect(requestsFor(operator.proxy.arrived, 'featureflags', 'patch').length).toBe(1);
      expect((await setField('description', 'after')).status).toBe(200);
      await untilConverged(operator, flags);
    },
  );

  test('because the port is closed is answered 503 at once', async () => {
    const answer = await whilePortIsClosed(() => setField('description', 'after'));
    expect([answer.status, answer.body.name]).toEqual([503, 'UnavailableError']);
    expect(answer.body.message).toContain('cannot be reached');
    expect((await setField('description', 'after')).status).toBe(200);
    await untilConverged(operator, flags);
  });

  test('and hangs is given up after the timeout of a call; other calls are answered meanwhile', async () => {
    faultNextWrite(stall);
    const hanging = setField('description', 'never');
    await untilFired(stall);
    expect((await turn('production', 'on')).status).toBe(200);
    const answer = await hanging;
    expect([answer.status, answer.body.name]).toEqual([503, 'UnavailableError']);
    expect((await stored()).description).toBe('before');
    expectFired(operator.proxy, stall);
  });
});

describe('a notification of Alertmanager for two flags', () => {
  let flagNames: readonly string[];
  let other: string;
  const actionsOf = ({ metadata }: StoredObject) => alertActionsIn(metadata.annotations).map(({ did }) => did);
  const isOn = ({ spec }: StoredObject) => spec.environments.production.enabled;
  const both = () => Promise.all(flagNames.map((one) => flags.get(one)));

  beforeEach(async () => {
    other = `${name}-other`;
    flagNames = [name, other];
    const environments = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
    await Promise.all(flagNames.map((one) => flags.apply('FeatureFlag', one, { project: 'shop', environments })));
    await untilJudged(operator, flags, ...flagNames);
  });

  async function send(): Promise<Answer> {
    const alerts = flagNames.map((flag) => ({
      status: 'firing',
      startsAt: '2026-03-01T09:30:00Z',
      labels: { alertname: 'Errors', vexil_flag: flag, vexil_environment: 'production' },
      annotations: { vexil_action: 'off' },
      generatorURL: '',
      fingerprint: Buffer.from(flag).toString('hex').slice(0, 64),
    }));
    return operator.call('POST /alerts', { body: { version: '4', alerts } });
  }
  function expectRetryable({ status, headers, body, text }: Answer): void {
    expect([status, body.name], text).toEqual([503, 'UnavailableError']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  async function expectOutcomes(...outcomes: readonly string[]): Promise<void> {
    const { status, body, text } = await send();
    expect(status, text).toBe(200);
    expect(body.alerts.map(({ outcome }: Stored) => outcome)).toEqual(outcomes);
  }

  test.each<[string, Fault, 'done' | 'already']>([
    ['cannot be written', reset, 'done'],
    ['is always changed by others', refusal(409, { reason: 'Conflict' }), 'done'],
    ['was written, but the answer is lost', lostAnswer, 'already'],
  ])(
    'one of which %s: 503 to try again, and the next one acts on flags that are still on',
    async (_, fault, outcome) => {
      const match = (request: SeenRequest) => writesSpec(request) && request.name === name;
      const withdraw = operator.proxy.inject({ fault, match });
      expectRetryable(await send());
      expectFired(operator.proxy, fault);
      withdraw();
      expect(isOn(await flags.get(other))).toBe(false);
      await flags.patch(other, { environments: { production: { enabled: true } } });

      await expectOutcomes(outcome, 'already');
      const after = await both();
      expect(after.map(isOn), 'a person has switched the other one on again').toEqual([false, true]);
      expect(after.map(actionsOf)).toEqual([['off'], ['off']]);
      await expectOutcomes('already', 'already');
      expect((await both()).map(({ metadata }) => metadata.generation)).toEqual(
        after.map(({ metadata }) => metadata.generation),
      );
    },
  );

  test('while the API server is down: 503 to try again, and the next one acts once', async () => {
    expectRetryable(await whilePortIsClosed(send));
    expect((await both()).map(isOn)).toEqual([true, true]);
    await expectOutcomes('done', 'done');
    await expectOutcomes('already', 'already');
    const after = await both();
    expect([after.map(isOn), after.map(actionsOf)]).toEqual([
      [false, false],
      [['off'], ['off']],
    ]);
  });
});
