/** The SDK of ConfigCat for Node.js, with a config from its cache. */
import { FLAGS, moduleIn, type Product, type Random, someFields } from './product.ts';

const IDS = ['u1', 'u2', 'u3'] as const;
const FIELDS = {
  Email: ['a@x.de', 'b@y.de', ''],
  Country: ['de', 'at', 'us'],
  age: ['10', '18', '30', 'old'],
  app: ['1.0.0', '2.1.0', '2.2.0-rc.1', 'x'],
} as const;

function condition(random: Random): object {
  const a = random.pick(['Identifier', 'Email', 'Country', 'age', 'app'] as const);
  if (a === 'age') return { a, c: random.pick([10, 11, 12, 13, 14, 15]), d: random.pick([10, 18]) };
  if (a !== 'app') return { a, ...textCondition(random, VALUES[a]) };
  const c = random.pick([4, 5, 6, 7, 8, 9]);
  return c < 6 ? { a, c, l: ['1.0.0', '2.2.0-rc.1'] } : { a, c, s: random.pick(['1.0.0', '2.1.0']) };
}

const VALUES = { Identifier: IDS, Email: ['a@x.de', 'b@y.de'], Country: FIELDS.Country } as const;

function textCondition(random: Random, values: readonly string[]): object {
  const value = random.pick(values);
  return random.pick([
    { c: random.pick([0, 1]), l: [value] },
    { c: random.pick([28, 29]), s: value },
    { c: random.pick([2, 3, 32, 33]), l: [value.slice(-1)] },
    { c: random.pick([30, 31]), l: [value.slice(0, 1)] },
  ]);
}

function setting(random: Random): object {
  const t = random.pick([0, 1]);
  const value = () => (t === 0 ? { b: random.chance(0.5) } : { s: random.pick(['x', 'y', 'z']) });
  const container = () =>
    random.chance(0.3) ? { s: { s: random.pick([0, 1]), c: random.pick([0, 1]) } } : { u: condition(random) };
  return { t, v: value(), r: random.times(0, 3, () => ({ c: random.times(1, 2, container), s: { v: value() } })) };
}

interface Sdk {
  readonly getClient: (
    key: string,
    mode: number,
    options: object,
  ) => {
    waitForReady(): Promise<unknown>;
    getValueAsync(flag: string, otherwise: null, user: object): Promise<unknown>;
    dispose(): void;
  };
  readonly PollingMode: { readonly ManualPoll: number };
  readonly createConsoleLogger: (level: number) => unknown;
}

const SILENT = -1;

export const configCat: Product = {
  name: 'ConfigCat',
  package: '@configcat/sdk@1.1.0',
  document: (random) => ({
    p: { u: '', r: 0, s: 'salt' },
    s: ['A', 'B'].map((n) => ({ n, r: random.times(1, 2, () => condition(random)) })),
    f: Object.fromEntries(FLAGS.map((key) => [key, setting(random)])),
  }),
  user: (random) => ({ userId: random.pick(IDS), ...someFields(random, FIELDS) }),
  start: async (folder, document) => {
    const sdk = await moduleIn<Sdk>(folder, '@configcat/sdk/lib/esm/node/index.js');
    const config = `${Date.now()}\netag\n${JSON.stringify(document)}`;
    const client = sdk.getClient(`configcat-sdk-1/${'x'.repeat(22)}/${'x'.repeat(22)}`, sdk.PollingMode.ManualPoll, {
      ...{ logger: sdk.createConsoleLogger(SILENT), offline: true },
      cache: { get: () => config, set: () => undefined },
    });
    await client.waitForReady();
    return {
      evaluate: (name, { userId, Email, Country, ...custom }) =>
        client.getValueAsync(name, null, { identifier: userId, email: Email, country: Country, custom }),
      stop: () => client.dispose(),
    };
  },
};
