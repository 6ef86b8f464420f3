/** The local evaluation of Flagsmith's SDK for Node.js. */
import { FLAGS, moduleIn, type Product, type Random, someFields } from './product.ts';

const IDS = ['ann', 'bob'] as const;
const TRAITS = {
  country: ['de', 'at', 'us'],
  age: [10, 18, 30],
  beta: [true, false],
  app: ['1.0.0', '2.1.0'],
} as const;

function condition(random: Random): object {
  const property = random.pick(['country', 'age', 'beta', 'app'] as const);
  if (random.chance(0.15)) return { property_: property, operator: random.pick(['IS_SET', 'IS_NOT_SET']), value: null };
  const value = `${random.pick<string | number | boolean>(TRAITS[property])}`;
  const text = { operator: random.pick(['EQUAL', 'NOT_EQUAL', 'IN', 'CONTAINS', 'NOT_CONTAINS', 'REGEX']), value };
  const orders = ['EQUAL', 'GREATER_THAN', 'LESS_THAN', 'GREATER_THAN_INCLUSIVE', 'LESS_THAN_INCLUSIVE'];
  const compared = {
    country: text.operator === 'REGEX' ? { ...text, value: `^${value.slice(0, 1)}` } : text,
    age: { operator: random.pick([...orders, 'NOT_EQUAL']), value },
    beta: { operator: random.pick(['EQUAL', 'NOT_EQUAL']), value },
    app: { operator: random.pick(orders), value: `${value}:semver` },
  }[property];
  return { property_: property, ...compared };
}

function rule(random: Random, depth: number): object {
  return {
    type: random.pick(['ALL', 'ANY', 'NONE']),
    conditions: random.times(0, 2, () => condition(random)),
    rules: depth > 0 ? random.times(0, 2, () => rule(random, depth - 1)) : [],
  };
}

/** The first feature has no value. */
function state(random: Random, name: string, priority?: number): object {
  return {
    feature: { id: 1, name, type: 'STANDARD' },
    ...{ enabled: random.chance(0.6), django_id: 1, featurestate_uuid: name, multivariate_feature_state_values: [] },
    feature_state_value: name === 'f1' ? null : random.pick(['x', 'y', 'z']),
    feature_segment: priority === undefined ? null : { priority },
  };
}

function segment(random: Random, id: number): object {
  const overridden = FLAGS.filter(() => random.chance(0.5));
  return {
    ...{ id, name: `segment ${id}`, rules: random.times(1, 2, () => rule(random, 1)) },
    feature_states: overridden.map((name) => state(random, name, id)),
  };
}

const organisation = { id: 1, name: 'o', feature_analytics: false, stop_serving_flags: false };

function identity(random: Random): object {
  return {
    ...{ identifier: 'ann', identity_uuid: 'i', created_date: '2026-01-01', environment_api_key: 'k' },
    ...{ identity_traits: [], identity_features: FLAGS.slice(0, 2).map((name) => state(random, name)) },
  };
}

interface Engine {
  readonly buildEnvironmentModel: (document: object) => unknown;
  readonly getEvaluationContext: (model: unknown, identity: object) => unknown;
  readonly getEvaluationResult: (context: unknown) => {
    readonly flags: Readonly<Record<string, { readonly enabled: boolean; readonly value: unknown }>>;
  };
}

export const flagsmith: Product = {
  name: 'Flagsmith',
  package: 'flagsmith-nodejs@8.1.2',
  document: (random) => ({
    ...{ id: 1, api_key: 'k', name: 'production' },
    project: { ...{ id: 1, name: 'p', organisation }, segments: [1, 2, 3].map((id) => segment(random, id)) },
    feature_states: FLAGS.map((name) => state(random, name)),
    identity_overrides: random.times(0, 1, () => identity(random)),
  }),
  user: (random) => ({ userId: random.pick(IDS), ...someFields(random, TRAITS) }),
  start: async (folder, document) => {
    const from = <T>(path: string) => moduleIn<T>(folder, `flagsmith-nodejs/build/esm/flagsmith-engine/${path}`);
    const { buildEnvironmentModel } = await from<Engine>('environments/util.js');
    const { getEvaluationContext } = await from<Engine>('evaluation/evaluationContext/mappers.js');
    const { getEvaluationResult } = await from<Engine>('index.js');
    const model = buildEnvironmentModel(structuredClone(document));
    return {
      evaluate: async (name, { userId, ...fields }) => {
        const traits = Object.entries(fields).map(([traitKey, traitValue]) => ({ traitKey, traitValue }));
        const context = getEvaluationContext(model, { identifier: userId, identityTraits: traits });
        const { enabled, value } = getEvaluationResult(context).flags[name] ?? { enabled: undefined, value: null };
        return enabled === true ? (value ?? true) : enabled;
      },
      stop: () => undefined,
    };
  },
};
