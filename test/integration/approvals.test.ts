/** Approvals: changes in an environment that need a second person, through every client of the API server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import type { Transport } from '../../src/kube/api/transport.ts';
import { type ApprovalsWorld, type PersonName, startApprovals } from '../support/approvals-world.ts';
import { aFlag, aStrategyType } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { longEnough } from '../support/long-enough.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import type { Stored } from '../support/stored.ts';

const strategies = { all: { name: 'default' } };
const wanted = { enabled: true, strategies };
const OFF = { production: { enabled: false } };
const NEEDS_APPROVAL = /environment production needs the approval of another person.*vexil request/s;

let world: ApprovalsWorld;

const merge = (by: Transport, path: string, body: object): Promise<Stored> =>
  by.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
const toProduction = (by: PersonName, name: string, entry: object | null) =>
  merge(world.as(by), world.pathOf('featureflags', name), { spec: { environments: { production: entry } } });
const entryOf = async (name: string) => (await world.read('featureflags', name)).spec.environments?.production;
const aFlagNamed = (name: string, spec: object = { environments: OFF }) =>
  world.instance.apply(aFlag(`${world.instance.home}/${name}`, spec));

async function expectRefused(call: Promise<unknown>, text: RegExp = NEEDS_APPROVAL): Promise<void> {
  const error = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ClusterError)) throw new Error('the call was not refused');
  expect([error.code, error.message]).toEqual(['forbidden', expect.stringMatching(text)]);
}

/** A flag that a GitOps tool owns: that tool has to write an approved change. */
async function ownedFlag(name: string): Promise<void> {
  const manifest = aFlag(`${world.instance.home}/${name}`, {
    environments: { production: { enabled: false, strategies } },
  });
  await world.as('robot').request({
    ...{ method: 'PATCH', path: world.pathOf('featureflags', name), body: manifest },
    query: { fieldManager: 'kustomize-controller' },
    contentType: 'application/apply-patch+yaml',
  });
}

/** An owned flag with a request that two people agree on. */
async function grantedFlag(name: string, spec: object = {}, approver: PersonName = 'bob'): Promise<Stored> {
  await ownedFlag(name);
  const request = await world.request('ada', name, spec);
  await world.approve(approver, request);
  await world.untilGranted(name);
  return request;
}

interface Brief {
  readonly name: string;
  readonly request: Stored;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

/** An owned flag whose grant expires soon. */
const brieflyGrantedFlag = (prefix: string): Promise<Brief> =>
  longEnough(async (ms) => {
    const name = `${prefix}-${ms}`;
    await ownedFlag(name);
    const expiresAt = Date.now() + ms;
    const request = await world.request('ada', name, { expiresAt: new Date(expiresAt).toISOString() });
    await world.approve('bob', request);
    const outcome = await waitUntil({ what: `${name} has a grant, or it is too late` }, async () => {
      const { status } = await world.read('changerequests', request.metadata.name);
      const { grants = [] } = (await world.read('featureflags', name)).status ?? {};
      return (grants.length > 0 && 'granted') || (status?.phase === 'Expired' && 'late');
    });
    return outcome === 'granted' ? { name, request, expiresAt } : undefined;
  });

beforeAll(async () => {
  world = await startApprovals('approvals');
});
afterAll(() => world.stop());

describe('a change in an environment with approvals', () => {
  test('is refused, comes into effect once another person has approved it, and is in the history of both', async () => {
    await aFlagNamed('checkout');
    await expectRefused(toProduction('ada', 'checkout', wanted));
    const request = await world.request('ada', 'checkout', { reason: 'It is time' });
    await world.untilPhase(request, 'Pending');
    await world.approve('bob', request);
    await world.untilPhase(request, 'Applied');
    const { spec, status, metadata } = await world.instance.flag(`${world.instance.home}/checkout`);
    expect([spec.environments.production, status.grants]).toEqual([wanted, undefined]);
    expect(metadata.annotations['vexil.dev/changed-by']).toBe(world.usernameOf('ada'));
    const events = await untilRecorded(world.instance.call, 'feature=IS:checkout&type=IS:change-request-applied', 1);
    expect(events[0]).toMatchObject({
      createdBy: world.usernameOf('ada'),
      environment: 'production',
      data: { request: request.metadata.name, author: world.usernameOf('ada'), approvedBy: world.usernameOf('bob') },
    });
    // It may always be switched off, and not on again.
    await toProduction('eve', 'checkout', { enabled: false });
    await expectRefused(toProduction('eve', 'checkout', { enabled: true }));
  });

  test('needs no approval from who is exempt, or may bypass it', async () => {
    await aFlagNamed('by-robot');
    await toProduction('robot', 'by-robot', wanted);
    await toProduction('boss', 'by-robot', { strategies: { more: { name: 'default' } } });
    expect(await entryOf('by-robot')).toEqual({ ...wanted, strategies: { ...strategies, more: { name: 'default' } } });
  });

  test('comes into effect at its time', async () => {
    const { request, applyAt, before } = await longEnough(async (ms) => {
      const name = `later-${ms}`;
      await aFlagNamed(name);
      const applyAt = Date.now() + ms;
      const request = await world.request('ada', name, { applyAt: new Date(applyAt).toISOString() });
      await world.approve('bob', request);
      const phase = await waitUntil({ what: 'the approval counts' }, async () => {
        const { status } = await world.read('changerequests', request.metadata.name);
        return ['Approved', 'Applied'].includes(status?.phase) && status.phase;
      });
      const before = { phase, entry: await entryOf(name) };
      return Date.now() < applyAt ? { request, applyAt, before } : undefined;
    });
    expect(before).toEqual({ phase: 'Approved', entry: { enabled: false } });
    await world.untilPhase(request, 'Applied');
    expect(Date.now()).toBeGreaterThanOrEqual(applyAt);
  });

  test('of a flag that is owned by a GitOps tool waits for that tool, and lets exactly the approved value pass', async () => {
    const request = await grantedFlag('owned');
    await waitUntil({ what: 'the request says who has to write it' }, async () => {
      const { status } = await world.read('changerequests', request.metadata.name);
      return status.problems[0]?.message.includes('the tool that owns the fields');
    });
    await expectRefused(toProduction('eve', 'owned', { ...wanted, strategies: { other: { name: 'default' } } }));
    await toProduction('eve', 'owned', wanted);
    await world.untilPhase(request, 'Applied');
  });

  test('can remove the entry, and then the flag', async () => {
    await aFlagNamed('removed', { environments: { production: { enabled: false, strategies } } });
    await expectRefused(world.as('eve').request({ method: 'DELETE', path: world.pathOf('featureflags', 'removed') }));
    const request = await world.request('ada', 'removed', { environments: { production: {} } });
    await world.approve('bob', request);
    await world.untilPhase(request, 'Applied');
    expect(await entryOf('removed')).toBeUndefined();
    await world.as('eve').request({ method: 'DELETE', path: world.pathOf('featureflags', 'removed') });
  });
});

describe('does not count:', () => {
  const untilJudged = async (one: Stored) => {
    await waitUntil({ what: `${one.metadata.name} is judged` }, async () => {
      const { status } = await world.read('changeapprovals', one.metadata.name);
      return status !== undefined;
    });
    const { status } = await world.read('changeapprovals', one.metadata.name);
    return status.conditions[0];
  };

  test('the approval of the author', async () => {
    await aFlagNamed('own');
    const request = await world.request('ada', 'own');
    const condition = await untilJudged(await world.approve('ada', request));
    expect([condition.status, condition.message]).toEqual(['False', expect.stringContaining('may be the author')]);
    await world.untilPhase(request, 'Pending');
  });

  test('the approval of somebody without the verb, whom the policy refuses', async () => {
    await aFlagNamed('unentitled');
    const request = await world.request('ada', 'unentitled');
    await expectRefused(world.approve('eve', request), /needs the verb approve on environments/);
    const approver = { kind: 'User', name: world.usernameOf('bob') } as const;
    await expectRefused(world.approve('cid', request, { approver }), /spec.approver must be who decides/);
    await expectRefused(world.approve('cid', request, { groups: ['system:masters'] }), /groups of who decides/);
    const comment = { environments: [], decision: 'Comment' as const, comment: 'Why now?' };
    await expectRefused(world.approve('eve', request, { ...comment, approver }), /spec.approver must be who decides/);
    await world.approve('eve', request, comment);
  });

  test('an approval that names no environment of the request', async () => {
    await aFlagNamed('elsewhere');
    const request = await world.request('ada', 'elsewhere');
    const condition = await untilJudged(await world.approve('eve', request, { environments: [] }));
    expect(condition.message).toContain('name production');
  });

  test('an approval of an earlier request of the same name', async () => {
    await aFlagNamed('same-name');
    const first = await world.request('ada', 'same-name');
    await world.as('ada').request({ method: 'DELETE', path: world.pathOf('changerequests', first.metadata.name) });
    const condition = await untilJudged(await world.approve('bob', first));
    expect([condition.status, condition.reason]).toEqual(['False', 'RequestNotFound']);
  });

  test('two approvals of one person as those of two', async () => {
    const { home } = world.instance;
    const environment = world.pathOf('environments', 'production');
    await merge(world.admin, environment, { spec: { approvals: { required: 2 } } });
    await aFlagNamed('twice');
    const request = await world.request('ada', 'twice');
    await world.approve('bob', request);
    await world.approve('bob', request);
    await waitUntil({ what: 'one counts' }, async () => {
      const { status } = await world.read('changerequests', request.metadata.name);
      return status?.approvals === '1/2';
    });
    await world.approve('cid', request);
    await world.untilPhase(request, 'Applied');
    await merge(world.admin, environment, { spec: { approvals: { required: 1 } } });
    expect((await world.instance.flag(`${home}/twice`)).spec.environments.production).toEqual(wanted);
  });
});

describe('no way around:', () => {
  let expiring: Brief;

  // It expires while the tests run.
  beforeAll(async () => {
    expiring = await brieflyGrantedFlag('expiring');
  });

  test('a request in the name of another', async () => {
    const author = { kind: 'User', name: world.usernameOf('bob') } as const;
    await expectRefused(world.request('ada', 'checkout', { author }), /spec.author must be who makes the request/);
  });

  test('an edit of a request that was approved', async () => {
    const request = await grantedFlag('edited');
    const path = world.pathOf('changerequests', request.metadata.name);
    for (const spec of [
      { environments: { production: { enabled: false } } },
      { author: { name: 'x' } },
      { archived: true },
    ]) {
      await expectRefused(merge(world.as('ada'), path, { spec }), /cannot be edited/);
    }
    await merge(world.as('ada'), path, { spec: { cancelled: true } });
    await world.untilPhase(request, 'Cancelled');
    await expectRefused(merge(world.as('ada'), path, { spec: { cancelled: null } }), /cannot be edited/);
    await expectRefused(toProduction('eve', 'edited', wanted));
  });

  test('another flag of the same name', async () => {
    const request = await grantedFlag('again');
    await world.admin.request({ method: 'DELETE', path: world.pathOf('featureflags', 'again') });
    await aFlagNamed('again', { environments: { production: { enabled: false, strategies } } });
    await world.untilPhase(request, 'Outdated');
    await expectRefused(toProduction('eve', 'again', wanted));
  });

  test('two requests that cross: the second would undo the first', async () => {
    await aFlagNamed('crossing');
    const first = await world.request('ada', 'crossing', {
      environments: { production: { enabled: true, strategies } },
    });
    const second = await world.request('ada', 'crossing', {
      environments: { production: { enabled: true, strategies: { other: { name: 'default' } } } },
    });
    await world.untilPhase(second, 'Pending');
    await world.approve('bob', first);
    await world.untilPhase(first, 'Applied');
    await world.approve('bob', second);
    await world.untilPhase(second, 'Outdated');
    const { status } = await world.read('changerequests', second.metadata.name);
    expect(status.problems[0].message).toContain('spec.environments.production');
    expect(await entryOf('crossing')).toEqual(wanted);
  });

  test('a request that would change environments it does not name', async () => {
    await aFlagNamed('left-out', { environments: { production: wanted, development: { enabled: true, strategies } } });
    const request = await world.request('ada', 'left-out', {
      environments: { development: { enabled: true, strategies } },
      archived: true,
    });
    await world.approve('bob', request);
    await waitUntil({ what: 'the request is judged' }, async () => {
      const { status } = await world.read('changerequests', request.metadata.name);
      return status?.problems?.[0]?.reason === 'NoApprovalNeeded';
    });
    const other = await world.request('ada', 'left-out', { environments: { production: wanted }, archived: true });
    await world.approve('bob', other);
    await waitUntil({ what: 'the request is judged' }, async () => {
      const { status } = await world.read('changerequests', other.metadata.name);
      return status?.problems?.[0]?.reason === 'EnvironmentsLeftOut';
    });
    expect((await world.read('featureflags', 'left-out')).spec.archived).toBeUndefined();
  });

  test('a request of somebody who cannot change flags', async () => {
    await aFlagNamed('not-mine');
    await expectRefused(world.request('reader', 'not-mine'), /cannot patch featureflags.vexil.dev\/not-mine/);
  });

  test('a forged status', async () => {
    await aFlagNamed('forged');
    const grant = {
      request: 'x',
      uid: 'x',
      generation: 1,
      author: 'x',
      approvedBy: [],
      expiresAt: '2099-01-01T00:00:00Z',
    };
    const grants = [
      { ...grant, archived: false, variants: [], dependencies: [], environments: { production: wanted } },
    ];
    const status = `${world.pathOf('featureflags', 'forged')}/status`;
    await expectRefused(merge(world.as('forger'), status, { status: { grants } }), /only Vexil grants changes/);
    const request = await world.request('ada', 'forged');
    const ofRequest = `${world.pathOf('changerequests', request.metadata.name)}/status`;
    await expectRefused(
      merge(world.as('forger'), ofRequest, { status: { phase: 'Approved' } }),
      /only Vexil grants changes/,
    );
  });

  test('an approver who loses the right before the change is made', async () => {
    const request = await grantedFlag('withdrawn', {}, 'cid');
    const { home, cluster } = world.instance;
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${home}/rolebindings`;
    await cluster.request({ method: 'DELETE', path: `${bindings}/${home}-cid` });
    // A label makes Vexil look again at once, which it otherwise does within half a minute.
    await waitUntil({ what: 'the approval does not count any more' }, async () => {
      const path = world.pathOf('changerequests', request.metadata.name);
      await merge(world.admin, path, { metadata: { labels: { look: `${Date.now()}` } } });
      return (await world.read('changerequests', request.metadata.name)).status.phase === 'Pending';
    });
    await waitUntil({ what: 'the grant is gone' }, async () => {
      return (await world.read('featureflags', 'withdrawn')).status.grants === undefined;
    });
    await expectRefused(toProduction('eve', 'withdrawn', wanted));
  });

  test('the deletion of a strategy type', async () => {
    await world.instance.apply(aStrategyType(`${world.instance.home}/custom`));
    const type = world.pathOf('strategydefinitions', 'custom');
    const deletion = world.as('eve').request({ method: 'DELETE', path: type });
    await expectRefused(deletion, /no ChangeRequest can ask for it/);
  });

  test('a grant that has expired', async () => {
    const { name, request } = expiring;
    await world.untilPhase(request, 'Expired');
    await waitUntil({ what: 'the grant is gone' }, async () => {
      return (await world.read('featureflags', name)).status.grants === undefined;
    });
    await expectRefused(toProduction('eve', name, wanted));
  });

  test('a time without an operator: a grant passes once, and none is made', async () => {
    await grantedFlag('alone');
    await aFlagNamed('ungranted');
    const request = await world.request('ada', 'ungranted');
    const { name, expiresAt } = await brieflyGrantedFlag('expiring-alone');
    await world.instance.stop();
    await world.approve('bob', request);
    await expectRefused(toProduction('eve', 'ungranted', wanted));
    await toProduction('eve', 'alone', wanted);
    await toProduction('eve', 'alone', { enabled: false });
    await expectRefused(toProduction('eve', 'alone', wanted));
    // The grant is still there, and the API server knows the time of the write.
    await waitUntil({ what: 'the grant has expired' }, () => Date.now() > expiresAt + 1000);
    expect((await world.read('featureflags', name)).status.grants).toHaveLength(1);
    await expectRefused(toProduction('eve', name, wanted));
    // A write can reset the managed fields, which have the time, or replace them.
    const old = { manager: 'old', operation: 'Update', apiVersion: 'vexil.dev/v1beta1', time: '2020-01-01T00:00:00Z' };
    const path = world.pathOf('featureflags', name);
    const spec = { environments: { production: wanted } };
    for (const managedFields of [[], [{}], null, [{ ...old, fieldsType: 'FieldsV1', fieldsV1: {} }]]) {
      await expectRefused(merge(world.as('eve'), path, { metadata: { managedFields }, spec }));
    }
  });
});
