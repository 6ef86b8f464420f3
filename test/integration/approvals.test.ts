/** Approvals: changes in an environment that need a second person, through every client of the API server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { createAccount, type Rule } from '../support/account.ts';
import { aFlag, anEnvironment } from '../support/builders.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { grantReviews } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';

const PEOPLE: Rule = [['*'], ['featureflags', 'changerequests', 'changeapprovals', 'segments', 'projects']];
const strategies = { everyone: { name: 'default' } };
const wantedEntry = { enabled: true, strategies };

let instance: Instance;
let admin: Transport;
const people = new Map<string, { readonly transport: Transport; readonly username: string }>();
const as = (name: string): Transport => {
  const person = people.get(name);
  if (!person) throw new Error(`there is no ${name}`);
  return person.transport;
};
const nameOf = (name: string) => people.get(name)?.username ?? '';

const pathOf = (plural: string, name = '') =>
  `/apis/vexil.dev/v1alpha1/namespaces/${instance.home}/${plural}${name && `/${name}`}`;
const read = (plural: string, name: string): Promise<Stored> =>
  admin.request({ method: 'GET', path: pathOf(plural, name) });

function patch(by: Transport, path: string, body: object): Promise<Stored> {
  return by.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
}
const toProduction = (by: Transport, name: string, entry: object | null) =>
  patch(by, pathOf('featureflags', name), { spec: { environments: { production: entry } } });

async function request(by: string, flag: string, spec: object = {}): Promise<Stored> {
  const body = {
    apiVersion: 'vexil.dev/v1alpha1',
    kind: 'ChangeRequest',
    metadata: { generateName: `${flag}-`, namespace: instance.home },
    spec: {
      target: { kind: 'FeatureFlag', name: flag },
      environments: { production: wantedEntry },
      reason: 'It is time',
      author: { kind: 'User', name: nameOf(by) },
      ...spec,
    },
  };
  return as(by).request({ method: 'POST', path: pathOf('changerequests'), body });
}

function approve(by: string, { metadata }: Stored, spec: object = {}): Promise<Stored> {
  const body = {
    apiVersion: 'vexil.dev/v1alpha1',
    kind: 'ChangeApproval',
    metadata: { generateName: `${metadata.name}-`, namespace: instance.home },
    spec: {
      request: { name: metadata.name, uid: metadata.uid },
      environments: ['production'],
      approver: { kind: 'User', name: nameOf(by) },
      ...spec,
    },
  };
  return as(by).request({ method: 'POST', path: pathOf('changeapprovals'), body });
}

const phaseOf = async (name: string) => (await read('changerequests', name)).status?.phase;
const untilPhase = (one: Stored, phase: string) =>
  waitUntil({ what: `${one.metadata.name} is ${phase}` }, async () => (await phaseOf(one.metadata.name)) === phase);

async function aFlagNamed(name: string, spec: object = {}): Promise<void> {
  await instance.apply(
    aFlag(`${instance.home}/${name}`, { environments: { production: { enabled: false } }, ...spec }),
  );
}

async function expectRefused(call: Promise<unknown>, text: string | RegExp): Promise<void> {
  const error = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ClusterError)) throw new Error('the call was not refused');
  expect([error.code, error.message]).toEqual(['forbidden', expect.stringMatching(text)]);
}

beforeAll(async () => {
  instance = await startInstance('approvals');
  const { cluster, home, other } = instance;
  await grantReviews(cluster, home);
  admin = connect(loadKubeConfig(cluster.kubeconfig));
  const account = async (name: string, ...rules: Rule[]) => {
    const { kubeconfig, username } = await createAccount(cluster, {
      namespace: home,
      name,
      rules: { [home]: [PEOPLE, ...rules] },
    });
    people.set(name, { transport: connect(loadKubeConfig(kubeconfig)), username });
    return kubeconfig;
  };
  const mayApprove: Rule = [['approve'], ['environments'], ['production']];
  const kubeconfig = await account('ada', mayApprove);
  await account('bob', mayApprove);
  await account('eve');
  await account('robot');
  await account('status-writer', [['*'], ['featureflags/status', 'changerequests/status']]);
  await instance.apply(
    anEnvironment(`${home}/production`, {
      approvals: { exempt: [{ kind: 'ServiceAccount', name: 'robot', namespace: home }] },
    }),
  );
  for (const policy of [
    'environment-changes.yaml',
    'change-requests.yaml',
    'change-approvals.yaml',
    'statuses.yaml',
  ] as const) {
    await installPolicyIn(cluster, policy, [home, other]);
  }
  const probe = aFlag(`${home}/probe`, { environments: { production: wantedEntry } });
  await untilRefused(
    cluster,
    { method: 'POST', path: pathOf('featureflags'), query: { dryRun: 'All' }, body: probe },
    kubeconfig,
  );
});
afterAll(async () => {
  for (const { transport } of people.values()) transport.close();
  admin?.close();
  await instance?.stop();
});

describe('a change in an environment with approvals', () => {
  test('is refused, and comes into effect once another person has approved it', async () => {
    await aFlagNamed('checkout');
    await expectRefused(toProduction(as('ada'), 'checkout', wantedEntry), /needs the approval of another person/);
    const one = await request('ada', 'checkout');
    await untilPhase(one, 'Pending');
    await approve('bob', one);
    await untilPhase(one, 'Applied');
    const { spec, status, metadata } = await instance.flag(`${instance.home}/checkout`);
    expect([spec.environments.production, status.grants]).toEqual([wantedEntry, undefined]);
    expect(metadata.annotations['vexil.dev/changed-by']).toBe(nameOf('ada'));
  });

  test('may always switch off', async () => {
    await instance.apply(
      aFlag(`${instance.home}/going`, { environments: { production: { enabled: false, strategies } } }),
    );
    const one = await request('ada', 'going');
    await approve('bob', one);
    await untilPhase(one, 'Applied');
    await toProduction(as('eve'), 'going', { enabled: false });
    await expectRefused(toProduction(as('eve'), 'going', { enabled: true }), /needs the approval/);
  });

  test('needs none from whoever is exempt', async () => {
    await aFlagNamed('by-robot');
    await toProduction(as('robot'), 'by-robot', wantedEntry);
    expect((await read('featureflags', 'by-robot')).spec.environments.production).toEqual(wantedEntry);
  });
});
