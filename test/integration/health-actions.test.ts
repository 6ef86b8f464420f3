/** The actions of Argo CD on real flags: the available ones, what each writes, and the flag afterwards. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { aFlag } from '../support/builders.ts';
import { mergePatchBetween } from '../support/gitops/merge-patch.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type ArgoCd, argoCd } from '../support/lua-argocd.ts';
import type { Stored } from '../support/stored.ts';

let instance: Instance;
let transport: Transport;
let argo: ArgoCd;

beforeAll(async () => {
  instance = await startInstance('argo-actions');
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  argo = await argoCd();
});
afterAll(async () => {
  transport.close();
  await instance.stop();
});

const strategies = { all: { name: 'default' } };
const [on, off] = [
  { enabled: true, strategies },
  { enabled: false, strategies },
];
const idle = { enabled: false, strategies: { all: { name: 'default', disabled: true } } };

/** A flag with every kind of member that an action must restore unchanged. */
const whole: FlagSpec = {
  description: 'a "text" with \\ and ünïcödé 🚦',
  tags: [],
  variants: [{ name: 'v', payload: { type: 'json', value: '{}' }, overrides: [] }],
  environments: {
    development: on,
    production: {
      enabled: false,
      variants: [],
      strategies: {
        a: { name: 'default', parameters: {}, constraints: [] },
        b: {
          name: 'flexibleRollout',
          sortOrder: 2147483647,
          parameters: { rollout: 25, share: 0.1, list: [], map: {} },
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }],
        },
      },
    },
  },
};

async function created(name: string, spec: FlagSpec): Promise<Stored> {
  await instance.apply(aFlag(`${instance.home}/${name}`, structuredClone(spec)));
  return instance.flag(`${instance.home}/${name}`);
}

/** Runs an action as the server of Argo CD does, which writes with its own field manager. */
async function act(action: string, object: Stored, params?: Readonly<Record<string, string>>): Promise<Stored> {
  const patch = await argo.patchFor(action, object, params);
  const { name, namespace } = object.metadata;
  await transport.request({
    method: 'PATCH',
    path: `/apis/vexil.dev/v1beta1/namespaces/${namespace}/featureflags/${name}`,
    query: { fieldManager: 'argocd-server' },
    contentType: 'application/merge-patch+json',
    body: patch,
  });
  const after = await instance.flag(`${namespace}/${name}`);
  return { patch, after };
}

interface Row {
  readonly action: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly spec: FlagSpec;
  readonly patch: object;
  readonly enabledIn: string | undefined;
}

const inProduction = { environment: 'production' };

const rows: Readonly<Record<string, Row>> = {
  'switched on where it is named': {
    action: 'enable',
    params: inProduction,
    spec: { environments: { development: off, production: off } },
    patch: { spec: { environments: { production: { enabled: true } } } },
    enabledIn: 'production',
  },
  'switched on in the only environment where it can be': {
    action: 'enable',
    spec: { environments: { development: idle, production: { strategies } } },
    patch: { spec: { environments: { production: { enabled: true } } } },
    enabledIn: 'production',
  },
  'switched on where it is on already': {
    action: 'enable',
    params: inProduction,
    spec: { environments: { production: on } },
    patch: {},
    enabledIn: 'production',
  },
  'switched on with all else that a flag can say': {
    action: 'enable',
    params: inProduction,
    spec: whole,
    patch: { spec: { environments: { production: { enabled: true } } } },
    enabledIn: 'development,production',
  },
  'switched off where it is named': {
    action: 'disable',
    params: inProduction,
    spec: { environments: { development: on, production: on } },
    patch: { spec: { environments: { production: { enabled: false } } } },
    enabledIn: 'development',
  },
  'switched off in the only environment where it is on': {
    action: 'disable',
    spec: { environments: { development: off, production: on } },
    patch: { spec: { environments: { production: { enabled: false } } } },
    enabledIn: undefined,
  },
  archived: {
    action: 'archive',
    spec: whole,
    patch: { spec: { archived: true } },
    enabledIn: undefined,
  },
  'revived, and off everywhere': {
    action: 'revive',
    spec: { archived: true, environments: { development: on, production: off } },
    patch: { spec: { archived: null, environments: { development: { enabled: false } } } },
    enabledIn: undefined,
  },
  'marked as stale': {
    action: 'mark-stale',
    spec: whole,
    patch: { spec: { stale: true } },
    enabledIn: 'development',
  },
  'marked as not stale': {
    action: 'mark-not-stale',
    spec: { stale: true },
    patch: { spec: { stale: false } },
    enabledIn: undefined,
  },
};

describe('a flag is', () => {
  test.each(Object.entries(rows))('%s', async (what, { action, params, spec, patch, enabledIn }) => {
    const before = await created(what.replace(/[^a-z]+/g, '-'), spec);
    const acted = await act(action, before, params);
    expect(acted.patch).toEqual(patch);
    expect(acted.after.status.enabledIn).toBe(enabledIn);
    expect(mergePatchBetween({ spec: before.spec }, { spec: acted.after.spec })).toEqual(patch);
    expect((await argo.health(acted.after)).status).toBe('Healthy');
  });

  test('archived, revived and stale in the admin API afterwards', async () => {
    const archived = await created('by-argo', { environments: { production: on } });
    await act('mark-stale', archived);
    expect((await instance.served('GET /projects/shop/features/by-argo')).body.stale).toBe(true);
    await act('archive', await instance.flag(`${instance.home}/by-argo`));
    expect((await instance.call('GET /projects/shop/features/by-argo')).status).toBe(404);
    await act('revive', await instance.flag(`${instance.home}/by-argo`));
    const { body } = await instance.served('GET /projects/shop/features/by-argo');
    expect(body.environments.map(({ enabled }: Stored) => enabled)).toEqual([false, false]);
  });
});

describe('an action reports its obstacle:', () => {
  test.each<[string, string, FlagSpec, Readonly<Record<string, string>>, string]>([
    ['no environment named where several can be meant', 'enable', { environments: { a: off, b: off } }, {}, 'a, b'],
    ['none at all', 'enable', {}, {}, 'Possible: none'],
    [
      'an environment of which the flag says nothing',
      'enable',
      { environments: { a: off } },
      inProduction,
      '"production"',
    ],
    ['no enabled strategy', 'enable', { environments: { production: idle } }, inProduction, 'add one first'],
    ['an archived flag', 'enable', { archived: true, environments: { production: off } }, inProduction, 'revive it'],
    ['an archived flag, off already', 'disable', { archived: true }, inProduction, 'archived'],
    ['several to switch off', 'disable', { environments: { a: on, b: on } }, {}, 'a, b'],
    ['one unknown to switch off', 'disable', { environments: { a: on } }, inProduction, '"production"'],
    ['a flag that is not archived', 'revive', {}, {}, 'not archived'],
  ])('%s', async (_, action, spec, params, says) => {
    const flag = { ...aFlag('n/f', spec), metadata: { name: 'f', namespace: 'n', generation: 1 } };
    await expect(argo.patchFor(action, flag, params)).rejects.toThrow(says);
  });
});

describe('available actions are', () => {
  const possible = async (spec: FlagSpec | null, metadata: object = {}): Promise<string[]> => {
    const flag = { ...aFlag('n/f'), spec, metadata: { name: 'f', namespace: 'n', ...metadata } };
    const actions = await argo.actions(flag);
    return Object.entries(actions).flatMap(([name, { disabled }]) => (disabled ? [] : [name]));
  };

  test.each<[string, FlagSpec | null, readonly string[]]>([
    ['nothing about environments for a flag without any', {}, ['archive', 'mark-stale']],
    ['the same for a flag without a spec', null, ['archive', 'mark-stale']],
    ['on, where it is off', { environments: { a: off } }, ['archive', 'enable', 'mark-stale']],
    ['off, where it is on', { environments: { a: on } }, ['archive', 'disable', 'mark-stale']],
    ['neither, where no strategy is used', { environments: { a: idle, b: {} } }, ['archive', 'mark-stale']],
    ['both', { environments: { a: on, b: off } }, ['archive', 'disable', 'enable', 'mark-stale']],
    ['that it is needed, for a stale one', { stale: true }, ['archive', 'mark-not-stale']],
    ['only to revive an archived one', { archived: true, stale: true, environments: { a: on, b: off } }, ['revive']],
  ])('%s', async (_, spec, wanted) => {
    expect((await possible(spec)).toSorted()).toEqual(wanted);
  });

  test('none for a flag that is being deleted', async () => {
    expect(await possible({ environments: { a: on } }, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toEqual([]);
  });

  test.each<[string, FlagSpec, string | undefined]>([
    ['the only possible environment filled in', { environments: { a: off, b: on } }, 'a'],
    ['nothing filled in where there are several', { environments: { a: off, b: off } }, undefined],
  ])('the switch with %s', async (_, spec, wanted) => {
    const { enable } = await argo.actions(aFlag('n/f', spec));
    expect(enable?.params).toEqual([{ name: 'environment', type: 'string', ...(wanted && { default: wanted }) }]);
  });
});
