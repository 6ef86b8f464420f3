/** The objects at the beginning of a sequence: a few flags of two projects, and strategy types, each time the same. */
import { isDeepStrictEqual } from 'node:util';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { StrategyDefinitionSpec } from '../../src/schema/strategy-definition.ts';
import {
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aSegment,
  aStrategyType,
  aToken,
  aUser,
  type Manifest,
} from '../support/builders.ts';
import type { ControlPlaneAccess, ControlPlaneAddress } from '../support/control-plane/access.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Caller } from './caller.ts';

export interface Ground {
  readonly cluster: ControlPlaneAddress & ControlPlaneAccess;
  readonly home: string;
  readonly other: string;
}

/** A flag object at the API server. */
export interface StoredFlag {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
  };
  readonly spec: FlagSpec;
  readonly status?: { readonly observedGeneration?: number };
}

export interface World {
  /** The wire names of the projects. */
  readonly projects: readonly string[];
  readonly environments: readonly string[];
  readonly strategyTypes: readonly string[];
  readonly tokens: readonly string[];
  /** The project of each flag that exists at the beginning. */
  readonly flags: ReadonlyMap<string, string>;
  /** Restores all objects. Resolves when the operator has judged them and its API shows them. */
  reset(): Promise<void>;
  /** When the objects of this sequence were there: RFC 3339. */
  begunAt(): string;
  /** Every flag by wire name, after it is judged. */
  look(): Promise<ReadonlyMap<string, StoredFlag>>;
  close(): void;
}

const UUID = '5f6a1c1e-7c1d-4b0e-9d55-0c6f2a3b4c5d';

/** The id of a strategy in production that no other strategy has. */
export const SINGLE_ID = '7f6a1c1e-7c1d-4b0e-9d55-0c6f2a3b4c5d';

const waiting = { steps: [{ rollout: 5, for: '24h' }, { rollout: 100 }] };

const rich: FlagSpec = {
  type: 'experiment',
  tags: ['simple:payments'],
  variants: [{ name: 'blue', payload: { type: 'json', value: '{"a":1}' } }, { name: 'red' }],
  environments: {
    production: {
      enabled: true,
      strategies: {
        'staff-first': {
          name: 'flexibleRollout',
          title: 'Staff first',
          parameters: { rollout: 25, groupId: 'rich', stickiness: 'userId' },
          ramp: waiting,
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1', '2'] }],
        },
        rising: {
          name: 'flexibleRollout',
          // The step lasts eleven years.
          ramp: { startAt: '2026-01-01T00:00:00Z', steps: [{ rollout: 5, for: '99999h' }, { rollout: 100 }] },
        },
        [UUID]: { name: 'userWithId', sortOrder: 1, parameters: { userIds: '1,2' }, variants: [{ name: 'green' }] },
        resting: { name: 'default', disabled: true, sortOrder: 2 },
      },
    },
    development: { strategies: { all: { name: 'default' } }, variants: [{ name: 'own', stickiness: 'sessionId' }] },
    // A name that every object has.
    constructor: { strategies: { constructor: { name: 'default' } } },
  },
};

const all = {
  strategies: { all: { name: 'default' }, some: { name: 'flexibleRollout', sortOrder: 1, ramp: waiting } },
};
const one: FlagSpec = { environments: { production: all, development: all } };

/** The wire name by the object name. Only the other project uses `staging`. */
const environments: Readonly<Record<string, string>> = {
  development: 'development',
  production: 'production',
  constructor: 'constructor',
  'odd-proto': '__proto__',
  staging: 'staging',
};

/** The flags of the project `shop` by object name. */
const ofShop: Readonly<Record<string, FlagSpec>> = {
  plain: one,
  rich,
  empty: {},
  dependent: {
    dependencies: [{ feature: 'rich' }],
    environments: { production: { strategies: { [SINGLE_ID]: { name: 'default' } } } },
  },
  stowed: { ...rich, archived: true },
  constructor: one,
  'odd-proto': { ...one, name: '__proto__' },
  'odd-signs': { ...rich, name: "Odd.Name~(1)!*'" },
};
const ofPay: Readonly<Record<string, FlagSpec>> = { till: rich, 'till-stowed': { ...one, archived: true } };

/**
 * The strategy types by object name. No flag uses them at the beginning: a change of a used one would change the status
 * of the flag.
 */
const strategyTypes: Readonly<Record<string, StrategyDefinitionSpec>> = {
  country: {
    displayName: 'Country',
    parameters: [{ name: 'x', type: 'list', required: true }, { name: 'y' }],
  },
  'own-plain': { deprecated: true },
  'odd-constructor': { name: 'constructor', parameters: [{ name: 'toString', required: true }] },
};

/** The ids of the segments, which parameters of requests name. */
export const SEGMENTS = [1, 2];

export const segmentName = (id: number) => `segment-${id}`;

/** The name of an application, which parameters of requests name. */
export const APPLICATION = 'shop';

/** The name of a change request that waits, as it needs no approval; parameters of requests name it. */
export const REQUEST = 'wish';

/** Stands for the time at which the objects of a sequence were there. */
export const BEGUN = 'time#begun';

const NAMESPACES = '/apis/vexil.dev/v1beta1/namespaces';

export async function prepareWorld({ cluster, home, other }: Ground, caller: Caller): Promise<World> {
  const transport = connect(loadKubeConfig(cluster.kubeconfig));
  const pathIn = (namespace: string) => `${NAMESPACES}/${namespace}/featureflags`;
  const typesPath = `${NAMESPACES}/${home}/strategydefinitions`;
  const segmentsPath = `${NAMESPACES}/${home}/segments`;
  const requestsPath = `${NAMESPACES}/${home}/changerequests`;
  const places = [
    ...Object.entries(ofShop).map(([name, spec]) => ({ namespace: home, name, spec: { ...spec, project: 'shop' } })),
    ...Object.entries(ofPay).map(([name, spec]) => ({ namespace: other, name, spec: { ...spec, project: 'pay' } })),
  ];
  const wireNames = new Map(places.map(({ name, spec }) => [spec.name ?? name, spec.project]));

  const list = async () => {
    const lists = await Promise.all(
      [home, other].map((namespace) => transport.request({ method: 'GET', path: pathIn(namespace) })),
    );
    return lists.flatMap((answer) => (answer as { items: StoredFlag[] }).items);
  };
  const look = () =>
    waitUntil({ what: 'every flag is judged', everyMs: 10 }, async () => {
      const flags = await list();
      const judged = flags.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
      return judged && new Map(flags.map((flag) => [flag.spec.name ?? flag.metadata.name, flag]));
    });
  /** The flags as the API shows them, archived or not, by wire name. */
  const shown = async () => {
    const paths = ['/projects/shop/features', '/projects/pay/features', '/archive/features'];
    const answers = await Promise.all(
      paths.map((path) => caller.send({ method: 'GET', path: `/api/admin${path}`, headers: {} })),
    );
    return answers.flatMap(({ text }) => (JSON.parse(text) as { features: { description: string }[] }).features);
  };

  /** The strategy types as the API shows them, without the built-in ones. */
  const shownTypes = async () => {
    const { text } = await caller.send({ method: 'GET', path: '/api/admin/strategies', headers: {} });
    const { strategies } = JSON.parse(text) as { strategies: { description: string; editable: boolean }[] };
    return strategies.filter(({ editable }) => editable);
  };

  const shownSegments = async () => {
    const { text } = await caller.send({ method: 'GET', path: '/api/admin/segments', headers: {} });
    return (JSON.parse(text) as { segments: { description: string }[] }).segments;
  };

  /** A report of the application, which a request may have deleted. */
  const report = {
    method: 'POST',
    path: '/api/client/register',
    headers: { 'Content-Type': 'application/json' },
    text: JSON.stringify({ appName: APPLICATION, instanceId: 'one', strategies: ['default'], interval: 60_000 }),
  };

  const projects = [
    aProject(`${home}/shop`, { environments: ['development', 'production', 'constructor', '__proto__'] }),
    aProject(`${other}/pay`, { flagNaming: { pattern: '[a-z][a-z0-9-]*', example: 'till' } }),
  ];
  /** Deleting a project would delay its flags until its name is free. */
  const restore = async ({ metadata: { namespace, name }, spec }: Manifest) => {
    const path = `${NAMESPACES}/${namespace}/projects/${name}`;
    const present = (await transport.request({ method: 'GET', path })) as Manifest;
    if (isDeepStrictEqual(present.spec, spec)) return;
    const body = [{ op: 'replace', path: '/spec', value: spec }];
    await transport.request({ method: 'PATCH', path, body, contentType: 'application/json-patch+json' });
  };

  /** Whether the change request waits, as the API shows it. */
  const isRequestShown = async () => {
    const path = `/api/admin/projects/shop/change-requests/${REQUEST}`;
    const { status, text } = await caller.send({ method: 'GET', path, headers: {} });
    return status === 200 && JSON.parse(text).state === 'In review';
  };

  let begunAt = '';
  const isBeginningRecorded = async () => {
    const paths = ['shop', 'pay'].map((project) => `/api/admin/projects/${project}/diff?from=${begunAt}&to=${begunAt}`);
    const answers = await Promise.all(paths.map((path) => caller.send({ method: 'GET', path, headers: {} })));
    return answers.every(({ status }) => status === 200);
  };

  let resets = 0;
  const reset = async () => {
    resets += 1;
    const description = `Fuzzed for the ${resets}th time.`;
    const post = (path: string, body: Manifest) =>
      transport.request({ method: 'POST', path, body, contentType: 'application/json' });
    // A request may make a segment for the other project.
    const segmentsOfOther = `${NAMESPACES}/${other}/segments`;
    const paths = [pathIn(home), pathIn(other), typesPath, segmentsPath, segmentsOfOther, requestsPath];
    await Promise.all(projects.map(restore));
    await Promise.all(paths.map((path) => transport.request({ method: 'DELETE', path })));
    await Promise.all([
      ...places.map(({ namespace, name, spec }) =>
        post(pathIn(namespace), aFlag(`${namespace}/${name}`, { description, ...spec })),
      ),
      ...Object.entries(strategyTypes).map(([name, spec]) =>
        post(typesPath, aStrategyType(`${home}/${name}`, { description, ...spec })),
      ),
      ...SEGMENTS.map((id) => post(segmentsPath, aSegment(`${home}/${segmentName(id)}`, { description, id }))),
    ]);
    await waitUntil({ what: 'the operator shows the flags and strategy types', everyMs: 10 }, async () => {
      const [flags, types, segments] = await Promise.all([shown(), shownTypes(), shownSegments()]);
      const isFresh = [...flags, ...types, ...segments].every((one) => one.description === description);
      const isWhole = flags.length === places.length && types.length === Object.keys(strategyTypes).length;
      return isWhole && segments.length === SEGMENTS.length && isFresh;
    });
    // A request is about the flag that is there when it is first judged.
    await post(requestsPath, aChangeRequest(`${home}/${REQUEST}`, 'plain', { environments: { constructor: all } }));
    await waitUntil({ what: 'the change request waits', everyMs: 10 }, isRequestShown);
    await look();
    await caller.send(report);
    begunAt = new Date().toISOString();
    await waitUntil({ what: 'the history knows this time', everyMs: 10 }, isBeginningRecorded);
  };

  await apply(cluster, [
    ...Object.entries(environments).map(([object, name], index) =>
      anEnvironment(`${home}/${object}`, { name, sortOrder: index + 1 }),
    ),
    ...projects,
    aUser(`${home}/ada`, { displayName: 'Adélaïde', email: 'ada@example.com' }),
    aToken(`${home}/backend`),
    aToken(`${home}/odd-token`, { name: 'für Köln/2' }),
  ]);
  await reset();
  return {
    projects: ['shop', 'pay'],
    // The environments with strategies are chosen more often.
    environments: ['production', 'development', 'production', ...Object.values(environments)],
    strategyTypes: Object.entries(strategyTypes).map(([object, { name = object }]) => name),
    tokens: ['backend', 'für Köln/2'],
    flags: wireNames,
    reset,
    begunAt: () => begunAt,
    look,
    close: transport.close,
  };
}

async function apply(cluster: ControlPlaneAccess, manifests: readonly Manifest[]): Promise<void> {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
}
