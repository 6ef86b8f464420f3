/**
 * API tokens in a real cluster, under the operator's own account: the sources of values, what is disclosed, how tokens
 * end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiTokenSpec } from '../../src/schema/api-token.ts';
import { anEnvironment, aProject, aUser } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import type { Stored } from '../support/stored.ts';
import { startTokenReplica, type TokenReplica } from '../support/token-replica.ts';
import { digestOf, type TokensDirectly, tokensDirectly } from '../support/tokens-directly.ts';

let instance: Instance;
let home: string;
let tokens: TokensDirectly;
let replicas: readonly TokenReplica[];

beforeAll(async () => {
  instance = await startInstance('tokens', { settings: { VEXIL_LOG_LEVEL: 'debug' } });
  home = instance.home;
  tokens = tokensDirectly(instance.cluster.kubeconfig, home);
  const { kubeconfig } = instance;
  replicas = await Promise.all([startTokenReplica({ kubeconfig, home }), startTokenReplica({ kubeconfig, home })]);
});

afterAll(async () => {
  // After all tests above, none of the values is disclosed anywhere.
  const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  await tokens.expectNoValueRecorded(JSON.stringify(instance.log), metrics);
  await Promise.all(replicas.map((replica) => replica.stop()));
  tokens.close();
  await instance.stop();
});

const HEX = '[0-9a-f]{56}';
const LABEL = 'vexil.dev/token';
const conditions = ({ status }: Stored) =>
  status.conditions.map((one: Stored) => `${one.type} ${one.status} ${one.reason}`);

/** The token that each replica finds for a value. */
const known = (value: string) => replicas.map((one) => one.tokenByHash(digestOf(value))?.metadata.name);
const untilKnown = (value: string, want: string | undefined) =>
  waitUntil({ what: `both replicas know the value as ${want}` }, () => known(value).every((name) => name === want));

describe('a generated value', () => {
  test.each<[string, Partial<ApiTokenSpec>, string]>([
    ['several', { type: 'client', environment: 'production', projects: ['shop', 'pay'] }, `\\[\\]:production\\.${HEX}`],
    ['personal', { type: 'personal', user: 'ada' }, `user:${HEX}`],
  ])('of %s is in a Secret of its own, and known to every replica', async (name, spec, form) => {
    await instance.apply(aUser(`${home}/ada`));
    await tokens.create(name, spec);
    const value = await tokens.untilReady(name);
    expect(value).toMatch(new RegExp(`^${form}$`));
    const { metadata } = await tokens.token(name);
    const secret = await tokens.generated(name);
    expect(secret).toMatchObject({
      type: 'Opaque',
      immutable: true,
      metadata: {
        labels: { [LABEL]: name },
        ownerReferences: [
          { apiVersion: 'vexil.dev/v1beta1', kind: 'ApiToken', name, uid: metadata.uid, controller: true },
        ],
      },
    });
    expect(Object.keys(secret.data)).toEqual(['token']);
    await untilKnown(value, name);
  });

  test('is different for each token, and is written once', async () => {
    await tokens.create('one');
    await tokens.create('two');
    expect(await tokens.untilReady('one')).not.toBe(await tokens.untilReady('two'));
    const before = await tokens.generated('one');
    await tokens.nudge('one');
    await tokens.untilReady('one');
    expect((await tokens.generated('one')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test('whose Secret is deleted stays valid, with a warning, and no other value is generated', async () => {
    await tokens.create('lost');
    const value = await tokens.untilReady('lost');
    await untilKnown(value, 'lost');
    await tokens.delete('secrets', 'vexil-token-lost');
    await tokens.nudge('lost');
    const { status } = await tokens.untilRecorded('lost', 'Warning SecretMissing spec.secretRef');
    expect([status.sha256, await tokens.generated('lost')]).toEqual([digestOf(value), undefined]);
    expect(known(value)).toEqual(['lost', 'lost']);
  });

  test('is not put into the Secret of an earlier token of the same name, and that Secret is unchanged', async () => {
    const owners = [{ apiVersion: 'vexil.dev/v1beta1', kind: 'ApiToken', name: 'taken', uid: 'the-one-before' }];
    const value = 'a-value-of-somebody-else';
    const before = await tokens.createSecret('vexil-token-taken', { value, labels: { [LABEL]: 'taken' }, owners });
    await tokens.create('taken');
    const token = await tokens.untilRecorded('taken', 'Error SecretNotOurs spec.secretRef');
    expect(conditions(token)).toEqual(['Ready False SecretNotOurs', 'Reconciling True SecretNotOurs']);
    expect([token.status.sha256, token.status.secretName]).toEqual([undefined, undefined]);
    expect(await tokens.generated('taken')).toEqual(before);
    expect(known(value)).toEqual([undefined, undefined]);
    await tokens.delete('secrets', 'vexil-token-taken');
    await tokens.nudge('taken');
    await tokens.untilReady('taken');
  });
});

describe('a value from another Secret', () => {
  const own = (letter: string) => `own-value-${letter.repeat(20)}`;

  beforeAll(async () => {
    await tokens.create('early', { type: 'admin', secretRef: { name: 'late' } });
    await tokens.untilRecorded('early', 'Error SecretNotFound spec.secretRef');
    await tokens.createSecret('late', { value: own('c'), labels: { [LABEL]: 'early' } });
  });

  test('is taken from the labelled Secret, follows its changes, and becomes invalid when the Secret is deleted', async () => {
    await tokens.createSecret('brought', { value: own('a'), labels: { [LABEL]: 'bring' } });
    await tokens.create('bring', { type: 'admin', secretRef: { name: 'brought' } });
    expect(await tokens.untilReady('bring')).toBe(own('a'));
    await untilKnown(own('a'), 'bring');

    await tokens.setValue('brought', own('b'));
    await tokens.nudge('bring');
    await untilKnown(own('b'), 'bring');
    expect(known(own('a'))).toEqual([undefined, undefined]);

    await tokens.delete('secrets', 'brought');
    await tokens.nudge('bring');
    const { status } = await tokens.untilRecorded('bring', 'Error SecretNotFound spec.secretRef');
    expect(status.sha256).toBeUndefined();
    await untilKnown(own('b'), undefined);
  });

  test('in a Secret that the token may not use discloses no more than a missing Secret', async () => {
    const foreign = {
      nothing: undefined,
      plainly: { value: own('d') },
      without: {},
      another: { value: own('e'), labels: { [LABEL]: 'another' } },
      briefly: { value: 'short', labels: { [LABEL]: 'foreign' } },
    };
    const eventTexts = [];
    for (const [name, parts] of Object.entries(foreign)) {
      if (parts) await tokens.createSecret(name, parts);
      await tokens.create(`to-${name}`, { type: 'admin', secretRef: { name } });
      const { status } = await tokens.untilRecorded(`to-${name}`, 'Error SecretNotFound spec.secretRef');
      const plain = JSON.stringify(status)
        .replaceAll(name, 'NAME')
        .replace(/"20\d\d-[^"]*Z"/g, '"TIME"');
      eventTexts.push(plain);
    }
    expect(new Set(eventTexts).size, eventTexts.join('\n')).toBe(1);
    expect(eventTexts[0]).not.toMatch(/sha256|secretName/);
    const items = await waitUntil({ what: 'each token has an Event' }, async () => {
      const events: readonly Stored[] = (await instance.cluster.getObject('events', home)).items;
      const names = new Set(events.map(({ regarding }) => regarding.name));
      return Object.keys(foreign).every((name) => names.has(`to-${name}`)) && events;
    });
    expect(items.every(({ reason }: Stored) => /^(ApiToken|Pat|Project|Environment|User)/.test(reason))).toBe(true);
    expect(JSON.stringify(items)).not.toMatch(/sha256|secretName|secretRef/);
  });

  test('that is no possible value is ignored', async () => {
    await tokens.createSecret('bad', { value: `${own('f')}\n`, labels: { [LABEL]: 'bad' } });
    await tokens.create('bad', { type: 'admin', secretRef: { name: 'bad' } });
    const token = await tokens.untilRecorded('bad', 'Error SecretUnusable spec.secretRef');
    expect([token.status.sha256, conditions(token)[1]]).toEqual([undefined, 'Reconciling True SecretUnusable']);
  });

  test('that two tokens have belongs to the older one, until that one is deleted', async () => {
    for (const name of ['twin-a', 'twin-b']) {
      await tokens.createSecret(name, { value: own('h'), labels: { [LABEL]: name } });
    }
    await tokens.create('twin-a', { type: 'admin', secretRef: { name: 'twin-a' } });
    await tokens.untilReady('twin-a');
    await tokens.create('twin-b', { secretRef: { name: 'twin-b' } });
    const second = await tokens.untilRecorded('twin-b', 'Error TokenConflict spec.secretRef');
    expect(conditions(second)).toEqual(['Ready False TokenConflict', 'Stalled True TokenConflict']);
    await untilKnown(own('h'), 'twin-a');
    await tokens.untilRecorded('twin-a');
    await tokens.delete('apitokens', 'twin-a');
    await tokens.untilRecorded('twin-b');
    await untilKnown(own('h'), 'twin-b');
  });

  test('is found without another change once the Secret exists, after some seconds', async () => {
    expect(await tokens.untilReady('early')).toBe(own('c'));
  });
});

describe('a token', () => {
  test('that is deleted is invalid at once, on every replica; a new one of the same name has another value', async () => {
    await tokens.create('revoked');
    const value = await tokens.untilReady('revoked');
    await untilKnown(value, 'revoked');
    await tokens.delete('apitokens', 'revoked');
    await untilKnown(value, undefined);
    // The test control plane collects no garbage: the old Secret stays, and must not become valid again.
    await tokens.create('revoked');
    await tokens.untilRecorded('revoked', 'Error SecretNotOurs spec.secretRef');
    expect(known(value)).toEqual([undefined, undefined]);
  });

  test('expires at its time, not before, and is valid again when the time is extended', async () => {
    await tokens.create('brief');
    const value = await tokens.untilReady('brief');
    await untilKnown(value, 'brief');
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    await tokens.patch('brief', { expiresAt });
    const token = await tokens.untilRecorded('brief', 'Error Expired spec.expiresAt');
    const since = Date.parse(token.status.conditions[0].lastTransitionTime);
    expect(since).toBeGreaterThanOrEqual(Math.floor(Date.parse(expiresAt) / 1000) * 1000);
    expect(conditions(token)).toEqual(['Ready False Expired', 'Stalled True Expired']);
    expect(known(value)).toEqual([undefined, undefined]);
    await tokens.patch('brief', { expiresAt: null });
    expect(await tokens.untilReady('brief')).toBe(value);
    await untilKnown(value, 'brief');
  });

  test('that has expired from the start gets no value', async () => {
    await tokens.create('over', { expiresAt: '2020-01-01T00:00:00Z' });
    const { status } = await tokens.untilRecorded('over', 'Error Expired spec.expiresAt');
    expect([status.sha256, await tokens.generated('over')]).toEqual([undefined, undefined]);
  });

  test('waits for the objects that it names; a change of each of them enqueues it', async () => {
    await tokens.create('waits', { environment: 'moon', projects: ['crater', 'shop'] });
    await tokens.create('hers', { type: 'personal', user: 'luna' });
    const waiting = await tokens.untilRecorded(
      'waits',
      'Error EnvironmentNotFound spec.environment',
      'Error ProjectNotFound spec.projects',
    );
    expect(conditions(waiting)[1]).toBe('Reconciling True EnvironmentNotFound');
    await tokens.untilRecorded('hers', 'Error UserNotFound spec.user');
    await instance.apply(anEnvironment(`${home}/moon`));
    await tokens.untilRecorded('waits', 'Error ProjectNotFound spec.projects');
    await instance.apply(aProject(`${home}/crater`), aUser(`${home}/luna`));
    await tokens.untilReady('waits');
    const value = await tokens.untilReady('hers');
    await untilKnown(value, 'hers');
    await tokens.delete('flagusers', 'luna');
    await untilKnown(value, undefined);
    await tokens.untilRecorded('hers', 'Error UserNotFound spec.user');
  });

  test('whose name an older token has gets no value', async () => {
    await tokens.create('n-first', { name: 'CI of the shop' });
    await tokens.untilReady('n-first');
    await tokens.create('n-second', { name: 'CI of the shop' });
    const { status } = await tokens.untilRecorded('n-second', 'Error NameConflict spec.name');
    expect([status.sha256, await tokens.generated('n-second')]).toEqual([undefined, undefined]);
    await tokens.delete('apitokens', 'n-first');
    await tokens.untilReady('n-second');
  });

  test('never gets a larger scope than at its creation: only its time and description can change', async () => {
    await tokens.create('fixed', { projects: ['shop', 'crater'], name: 'fixed name' });
    const refused = async (spec: object) => {
      const error = await tokens.patch('fixed', spec).catch((one: Stored) => one);
      return (error.details ?? []).map(({ path }: Stored) => path);
    };
    for (const [field, value] of Object.entries({
      type: 'frontend',
      environment: 'development',
      projects: null,
      name: 'other',
      secretRef: { name: 'other' },
    })) {
      expect(await refused({ [field]: value }), field).toContain(`spec.${field}`);
    }
    expect(await refused({ projects: ['shop'] })).toContain('spec.projects');
    expect(await refused({ type: 'personal', environment: null, projects: null, user: 'ada' })).toContain('spec.user');
    await tokens.patch('fixed', { projects: ['crater', 'shop'], description: 'x', expiresAt: '2099-01-01T00:00:00Z' });
    await expect(tokens.patch('fixed', { type: 'admin', environment: null, projects: null })).rejects.toThrow(
      'immutable',
    );
  });

  test('is counted in its environment, in the status and on the wire', async () => {
    const environment = 'counted';
    await instance.apply(anEnvironment(`${home}/${environment}`));
    await tokens.create('count-all', { environment });
    await tokens.create('count-shop', { environment, projects: ['shop'] });
    await tokens.create('count-pay', { environment, projects: ['pay'] });
    const untilCounted = (count: number) =>
      waitUntil({ what: `${count} are counted` }, async () => {
        const { status } = await instance.cluster.getObject(`fenv/${environment}`, home);
        const one = (await instance.call(`GET /environments/${environment}`)).body;
        return status.apiTokenCount === count && one.apiTokenCount === count;
      });
    await untilCounted(3);
    const { environments } = (await instance.call('GET /environments/project/shop')).body;
    expect(environments.find((one: Stored) => one.name === environment).projectApiTokenCount).toBe(2);
    await tokens.delete('apitokens', 'count-shop');
    await untilCounted(2);
  });

  test('has its important fields in the columns of kubectl', async () => {
    await tokens.create('shown', { expiresAt: '2099-01-01T00:00:00Z' });
    await tokens.untilReady('shown');
    const lines = await instance.cluster.kubectlOrThrow(['get', 'ftoken', 'shown', '-n', home]);
    const [head, line] = lines.split('\n').map((one) => one.split(/\s{2,}/));
    expect(head?.map((one) => one.trim())).toEqual('NAME TYPE ENVIRONMENT USER EXPIRES SEEN READY AGE'.split(' '));
    expect(line?.join(' ')).toMatch(/^shown client production 2099-01-01T00:00:00Z True \S+$/);
  });
});

test('a status that another user has written is corrected: it makes no value a valid token', async () => {
  await tokens.create('mended');
  const value = await tokens.untilReady('mended');
  const forged = 'a-value-that-was-never-given-to-anybody';
  await instance.cluster.patchObject('ftoken/mended/status', home, { status: { sha256: digestOf(forged) } });
  const { metadata } = await waitUntil({ what: 'it is mended' }, async () => {
    const one = await tokens.token('mended');
    return one.status.sha256 === digestOf(value) && one;
  });
  await waitUntil({ what: 'both replicas have received it' }, () =>
    replicas.every(({ resource }) => {
      return resource.get({ namespace: home, name: 'mended' })?.metadata.resourceVersion === metadata.resourceVersion;
    }),
  );
  expect([known(value), known(forged)]).toEqual([
    ['mended', 'mended'],
    [undefined, undefined],
  ]);
});

test('the operator may read a Secret by its name, and neither list, watch, change nor delete them', async () => {
  const may = async (verb: string) => {
    const body = { spec: { resourceAttributes: { namespace: home, verb, resource: 'secrets' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const review: Stored = await instance.cluster.request({ method: 'POST', path, body }, instance.kubeconfig);
    return review.status.allowed;
  };
  const answers = await Promise.all(['get', 'create', 'list', 'watch', 'update', 'patch', 'delete'].map(may));
  expect(answers).toEqual([true, true, false, false, false, false, false]);
});
