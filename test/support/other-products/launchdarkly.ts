/** The Node.js server SDK of LaunchDarkly, with data from a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FLAGS, moduleIn, type Product, type Random, someFields } from './product.ts';

const KEYS = ['u1', 'u2', 'u3'] as const;
const FIELDS = {
  country: ['de', 'at', 'us'],
  email: ['a@x.de', 'b@y.de'],
  age: [10, 18, 30],
  version: ['1.0.0', '2.1.0', '2.1.5'],
} as const;

function clause(random: Random, withSegments: boolean): object {
  const negate = random.chance(0.4);
  if (withSegments && random.chance(0.3))
    return { attribute: '', op: 'segmentMatch', values: [random.pick(['s1', 's2'])], negate };
  const attribute = random.pick(['key', 'country', 'email', 'age', 'version'] as const);
  if (attribute === 'age')
    return {
      attribute,
      op: random.pick(['in', 'lessThan', 'greaterThanOrEqual']),
      values: [random.pick(FIELDS.age)],
      negate,
    };
  if (attribute === 'version')
    return {
      attribute,
      op: random.pick(['semVerEqual', 'semVerLessThan']),
      values: [random.pick(['2.1', '2.1.5'])],
      negate,
    };
  const op = random.pick(['in', 'startsWith', 'endsWith', 'contains', 'matches']);
  const value = random.pick(attribute === 'key' ? KEYS : FIELDS[attribute]);
  const part = { in: value, startsWith: value.slice(0, 1), matches: `^${value.slice(0, 1)}` }[op] ?? value.slice(-1);
  return { attribute, op, values: [part], negate };
}

const clauses = (random: Random, withSegments: boolean) => random.times(1, 2, () => clause(random, withSegments));

function flag(random: Random, key: string): object {
  const variations = random.pick<readonly (string | boolean)[]>([
    [true, false],
    ['x', 'y', 'z'],
  ]);
  const variation = () => random.pick([...variations.keys()]);
  return {
    ...{ key, version: 1, on: true, salt: 's', variations, offVariation: variations.length - 1, prerequisites: [] },
    targets: random.times(0, 1, () => ({ values: [random.pick(KEYS)], variation: variation() })),
    rules: random.times(0, 3, () => ({ id: 'r', variation: variation(), clauses: clauses(random, true) })),
    fallthrough: { variation: variation() },
  };
}

function segment(random: Random, key: string): object {
  return {
    ...{ key, version: 1, salt: 's' },
    included: random.times(0, 1, () => 'u1'),
    excluded: random.times(0, 1, () => 'u2'),
    rules: random.times(0, 2, () => ({ clauses: clauses(random, false) })),
  };
}

interface Sdk {
  readonly init: (
    key: string,
    options: object,
  ) => {
    waitForInitialization(options: object): Promise<unknown>;
    variation(flag: string, context: object, otherwise: unknown): Promise<unknown>;
    close(): void;
  };
  readonly integrations: {
    readonly FileDataSourceFactory: new (options: object) => { getFactory(): unknown };
  };
}

const silent = () => undefined;

export const launchDarkly: Product = {
  name: 'LaunchDarkly',
  package: '@launchdarkly/node-server-sdk@9.13.7',
  document: (random) => ({
    flags: Object.fromEntries(FLAGS.map((key) => [key, flag(random, key)])),
    segments: Object.fromEntries(['s1', 's2'].map((key) => [key, segment(random, key)])),
  }),
  user: (random) => ({ userId: random.pick(KEYS), ...someFields(random, FIELDS) }),
  start: async (folder, document) => {
    const { init, integrations } = await moduleIn<Sdk>(folder, '@launchdarkly/node-server-sdk/dist/src/index.js');
    const file = join(folder, 'flags.json');
    await writeFile(file, JSON.stringify(document));
    const client = init('sdk-key', {
      sendEvents: false,
      logger: { error: silent, warn: silent, info: silent, debug: silent },
      updateProcessor: new integrations.FileDataSourceFactory({ paths: [file] }).getFactory(),
    });
    await client.waitForInitialization({ timeout: 10 });
    return {
      evaluate: (name, { userId, ...fields }) => client.variation(name, { kind: 'user', key: userId, ...fields }, null),
      stop: () => client.close(),
    };
  },
};
