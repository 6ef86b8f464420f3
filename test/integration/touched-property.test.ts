/** The policy refuses exactly the changes of a flag that the operator holds to change what is in effect. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { isClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { FlagEnvironment, FlagSpec } from '../../src/schema/feature-flag.ts';
import { createAccount } from '../support/account.ts';
import { aFlag, anEnvironment } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { installPolicyIn, untilRefused } from '../support/control-plane/install-admission.ts';
import type { Stored } from '../support/stored.ts';

/** Each run of the tests has other changes. */
const RUNS = 60;
const cluster = sharedCluster();
let home: string;
/** Administers the cluster, and bypasses the policy. */
let admin: Transport;
let ada: Transport;

const flags = (name = '') => `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags${name && `/${name}`}`;

beforeAll(async () => {
  home = await cluster.freshNamespace('touched-property');
  const { kubeconfig } = await createAccount(cluster, {
    namespace: home,
    name: 'ada',
    rules: { [home]: [[['*'], ['featureflags']]] },
  });
  admin = connect(loadKubeConfig(cluster.kubeconfig));
  ada = connect(loadKubeConfig(kubeconfig));
  await cluster.apply([anEnvironment(`${home}/production`, { approvals: { required: 1 } })]);
  await installPolicyIn(cluster, 'environment-changes.yaml', [home]);
  const body = aFlag(`${home}/probe`, { environments: { production: { enabled: true } } });
  await untilRefused(cluster, { method: 'POST', path: flags(), body, query: { dryRun: 'All' } }, kubeconfig);
});
afterAll(() => {
  admin?.close();
  ada?.close();
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const or = <T>(value: fc.Arbitrary<T>) => fc.option(fc.option(value, { nil: null }), { nil: undefined });
const ramp = fc.record(
  {
    startAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
    pausedAt: maybe(fc.constantFrom('2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z')),
    steps: fc.constantFrom([{ rollout: 100 }], [{ rollout: 20, for: '10h' }, { rollout: 100 }]),
  },
  { requiredKeys: ['startAt', 'steps'] },
);
const strategy = fc.oneof(
  fc.record({ name: fc.constant('default'), disabled: or(fc.boolean()), title: maybe(fc.constant('a')) }),
  fc.record({
    name: fc.constant('flexibleRollout'),
    disabled: or(fc.boolean()),
    parameters: fc.constant({ stickiness: 'default', groupId: 'x', rollout: 0 }),
    ramp: or(ramp),
  }),
);
const environment = fc.record({
  enabled: or(fc.boolean()),
  strategies: or(fc.dictionary(fc.constantFrom('a', 'b'), fc.option(strategy, { nil: null }), { maxKeys: 2 })),
  activeFrom: or(fc.constant('2026-01-01T00:00:00Z')),
  variants: or(fc.constantFrom([], [{ name: 'v', weight: 1000, weightType: 'variable', stickiness: 'default' }])),
});
const environments = fc.record({ development: or(environment), production: or(environment) });
const rest = {
  description: maybe(fc.constantFrom('one', 'two')),
  archived: or(fc.boolean()),
  variants: or(fc.constantFrom([], [{ name: 'w', weight: 1000, weightType: 'variable', stickiness: 'default' }])),
  dependencies: or(fc.constantFrom([], [{ feature: 'parent' }])),
};
const spec = fc.record({ project: fc.constant('shop'), ...rest, environments: or(environments) });

/** A few parts of one spec take the place of those of another, so that most changes are small. */
const change = fc
  .record({ before: spec, other: spec, takesRest: fc.subarray(Object.keys(rest), { maxLength: 1 }), part: fc.nat(5) })
  .map(({ before, other, takesRest, part }) => {
    const after = structuredClone(before) as Record<string, unknown>;
    for (const key of takesRest) after[key] = Reflect.get(other, key);
    mixProduction(after, other as Record<string, unknown>, part);
    return { before: withoutUndefined(before), after: withoutUndefined(after) };
  });

function mixProduction(after: Record<string, unknown>, other: Record<string, unknown>, part: number): void {
  const [here, there] = [productionOf(after), productionOf(other)];
  const keys = ['enabled', 'strategies', 'activeFrom', 'variants'] as const;
  const key = keys[part];
  if (here && there && key) Object.assign(here, { [key]: there[key] });
  else if (part === 4) after['environments'] = other['environments'];
}

function productionOf({ environments: all }: Record<string, unknown>): Partial<FlagEnvironment> | undefined {
  return (all as { production?: Partial<FlagEnvironment> | null } | null | undefined)?.production ?? undefined;
}

/** As the API server gets it. */
function withoutUndefined(value: unknown): FlagSpec {
  return JSON.parse(JSON.stringify(value));
}

/** What came of a write: the object, or how it was refused. */
async function outcomeOf(write: Promise<unknown>): Promise<Stored | 'refused' | 'invalid'> {
  try {
    return (await write) as Stored;
  } catch (error) {
    if (isClusterError(error, 'forbidden') && /needs the approval/.test(error.message)) return 'refused';
    if (isClusterError(error, 'invalid')) return 'invalid';
    throw error;
  }
}

test(`of ${RUNS} random changes the policy refuses those that the operator would refuse`, async () => {
  const counts = { refused: 0, allowed: 0 };
  let index = 0;
  await fc.assert(
    fc.asyncProperty(change, async ({ before, after }) => {
      index += 1;
      const name = `random-${index}`;
      const body = aFlag(`${home}/${name}`, before);
      const present = await outcomeOf(admin.request({ method: 'POST', path: flags(), body }));
      if (typeof present === 'string') return;
      const patch = {
        method: 'PATCH',
        path: flags(name),
        contentType: 'application/json-patch+json',
        body: [{ op: 'replace', path: '/spec', value: after }],
        query: { dryRun: 'All' },
      } as const;
      const answer = await outcomeOf(ada.request(patch));
      // The API server leaves out the null of a field that takes none.
      const stored = answer === 'refused' ? await outcomeOf(admin.request(patch)) : answer;
      if (typeof stored === 'string') return;
      const result = answer === 'refused' ? 'refused' : 'allowed';
      counts[result] += 1;
      const write = { before: present.spec, after: stored.spec };
      const isRefused = refusedByFreeze(write).includes('production');
      expect(result, JSON.stringify(write)).toBe(isRefused ? 'refused' : 'allowed');
    }),
    { numRuns: RUNS },
  );
  expect(counts.refused).toBeGreaterThan(RUNS / 10);
  expect(counts.allowed).toBeGreaterThan(RUNS / 10);
});
