/** More than 200 flags for a real Unleash: each thing that its API lets people make. */
import type { UnleashServer } from './unleash-server.ts';

export const PLACES = ['development', 'production'] as const;
type Place = (typeof PLACES)[number];

interface FixtureStrategy {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly constraints?: readonly object[];
  /** Names. */
  readonly segments?: readonly string[];
  readonly variants?: readonly object[];
  readonly disabled?: boolean;
  readonly sortOrder?: number;
}

export interface FixtureFlag {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly isStale?: boolean;
  readonly isArchived?: boolean;
  readonly parents?: readonly object[];
  /** In both environments, unless `places` says otherwise. */
  readonly strategies: readonly FixtureStrategy[];
  readonly variants?: readonly object[];
  readonly on?: readonly Place[];
  readonly places?: readonly Place[];
}

const FIELDS = ['region', 'plan', 'version', 'since', 'company'];
const OWN_TYPE = 'own-type';
/** Types that new installations of later versions lack, with their parameters. The rules are in SDKs. */
const OLD_TYPES: Readonly<Record<string, readonly string[]>> = {
  userWithId: ['userIds'],
  remoteAddress: ['IPs'],
  applicationHostname: ['hostNames'],
  gradualRolloutUserId: ['percentage', 'groupId'],
  gradualRolloutSessionId: ['percentage', 'groupId'],
  gradualRolloutRandom: ['percentage', 'groupId'],
};

const SEGMENTS = [
  { name: 'Beta users', constraints: [{ contextName: 'userId', operator: 'STR_STARTS_WITH', values: ['user-1'] }] },
  { name: 'eu', constraints: [{ contextName: 'region', operator: 'IN', values: ['eu', 'EU'] }] },
  { name: 'everybody', constraints: [] },
  { name: 'two', constraints: [plan('NUM_GTE', '5'), { contextName: 'region', operator: 'NOT_IN', values: ['us'] }] },
  {
    name: 'late',
    constraints: [{ contextName: 'currentTime', operator: 'DATE_BEFORE', value: '2027-02-01T12:00:00.000Z' }],
  },
];

function plan(operator: string, value: string): object {
  return { contextName: 'plan', operator, value };
}

const all: FixtureStrategy = { name: 'default' };
const share = (rollout: string, more: Readonly<Record<string, string>> = {}): FixtureStrategy => ({
  name: 'flexibleRollout',
  parameters: { rollout, stickiness: 'default', groupId: 'group', ...more },
});
const variant = (name: string, more: object = {}): object => ({
  name,
  weight: 1000,
  weightType: 'variable',
  stickiness: 'default',
  ...more,
});
const pair = (stickiness: string) => [
  variant('left', { weight: 500, stickiness }),
  variant('right', { weight: 500, stickiness }),
];

const OPERANDS: readonly (readonly [string, object])[] = [
  ...['IN', 'NOT_IN'].map((one) => [one, { contextName: 'region', values: ['eu', 'ü', 'a b'] }] as const),
  ...['STR_STARTS_WITH', 'STR_ENDS_WITH', 'STR_CONTAINS'].map(
    (one) => [one, { contextName: 'company', values: ['Acme', 'é', '1'] }] as const,
  ),
  ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map(
    (one) => [one, { contextName: 'plan', value: '5.5' }] as const,
  ),
  ...['DATE_AFTER', 'DATE_BEFORE'].map(
    (one) => [one, { contextName: 'currentTime', value: '2027-03-29T01:30:00.000Z' }] as const,
  ),
  ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'].map((one) => [one, { contextName: 'version', value: '1.2.3' }] as const),
];

const operators = OPERANDS.flatMap(([operator, operand]): FixtureFlag[] => {
  const flag = (suffix: string, more: object): FixtureFlag => ({
    name: `op.${operator.toLowerCase()}${suffix}`,
    strategies: [{ ...all, constraints: [{ operator, ...operand, ...more }] }],
  });
  const isText = operator.startsWith('STR');
  return [
    flag('', {}),
    flag('.not', { inverted: true }),
    ...(isText ? [flag('.case', { caseInsensitive: true })] : []),
    {
      ...flag('.share', {}),
      strategies: [{ ...share('40'), constraints: [{ operator, ...operand }, plan('NUM_GT', '1')] }],
    },
  ];
});

const shares = ['default', 'userId', 'sessionId', 'company'].flatMap((stickiness) =>
  ['0', '1', '33', '50', '100'].flatMap((rollout): FixtureFlag[] => [
    { name: `share.${stickiness}.${rollout}`, strategies: [share(rollout, { stickiness })] },
    {
      name: `share.${stickiness}.${rollout}.variants`,
      strategies: [share(rollout, { stickiness, groupId: `g-${rollout}` })],
      variants: pair(stickiness),
    },
  ]),
);

const PARAMETERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  userWithId: { userIds: 'user-1,user-2, user-30 ,ü' },
  gradualRolloutUserId: { percentage: '40', groupId: 'grad' },
  gradualRolloutSessionId: { percentage: '40', groupId: 'grad' },
  gradualRolloutRandom: { percentage: '100' },
  remoteAddress: { IPs: '10.0.0.1,192.168.7.0/24,2001:db8::1' },
  applicationHostname: { hostNames: 'no-such-host.invalid' },
  [OWN_TYPE]: { text: 'a' },
};

const types = Object.entries(PARAMETERS).flatMap(([name, parameters]): FixtureFlag[] => [
  { name: `type.${name}`, strategies: [{ name, parameters }] },
  {
    name: `type.${name}.disabled`,
    strategies: [{ name, parameters, disabled: true }, share('30')],
  },
  {
    name: `type.${name}.and`,
    strategies: [
      { name, parameters, constraints: [{ contextName: 'region', operator: 'IN', values: ['eu'] }] },
      share('10'),
    ],
  },
]);

const segmented = SEGMENTS.flatMap(({ name }, index): FixtureFlag[] => [
  { name: `segment.${index}`, strategies: [{ ...all, segments: [name] }] },
  { name: `segment.${index}.share`, strategies: [{ ...share('50'), segments: [...new Set([name, 'everybody'])] }] },
]);

const payloads = [
  { type: 'string', value: 'text, with "quotes"' },
  { type: 'json', value: '{"a":[1,2.50]}' },
  { type: 'csv', value: 'a,b' },
  { type: 'number', value: '1.0' },
].map(
  (payload): FixtureFlag => ({
    name: `variant.${payload.type}`,
    strategies: [all],
    variants: [variant('with', { payload })],
  }),
);

const variants: readonly FixtureFlag[] = [
  ...payloads,
  ...['default', 'userId', 'sessionId', 'company'].map((stickiness): FixtureFlag => {
    const third = variant('third', { weight: 334, stickiness });
    const others = ['one', 'two'].map((name) => variant(name, { weight: 333, stickiness }));
    return { name: `variant.three.${stickiness}`, strategies: [all], variants: [...others, third] };
  }),
  {
    name: 'variant.fixed',
    strategies: [all],
    variants: [variant('rare', { weight: 17, weightType: 'fix' }), variant('rest', { weight: 983 })],
  },
  {
    name: 'variant.overridden',
    strategies: [all],
    variants: [
      variant('first', { weight: 500, overrides: [{ contextName: 'region', values: ['eu', 'ü'] }] }),
      variant('second', { weight: 500, overrides: [{ contextName: 'userId', values: ['user-3'] }] }),
    ],
  },
  { name: 'variant.dev-only', strategies: [all], variants: pair('default'), places: ['development'] },
  { name: 'variant.off', strategies: [all], variants: pair('default'), on: [] },
  { name: 'strategy-variant.one', strategies: [{ ...all, variants: pair('userId') }] },
  {
    name: 'strategy-variant.both',
    strategies: [{ ...share('50'), variants: pair('default') }],
    variants: [variant('flag')],
  },
  ...['a', 'b', 'c', 'd'].map(
    (letter, index): FixtureFlag => ({
      name: `order.${letter}`,
      // Made in another order than the one that counts.
      strategies: [
        { ...share('70', { groupId: letter }), variants: [variant('wide')], sortOrder: 2 },
        { ...share(`${20 + index * 10}`, { groupId: letter }), variants: [variant('narrow')], sortOrder: 1 },
        { ...all, variants: [variant('rest')], sortOrder: 3 },
      ],
    }),
  ),
];

const children: readonly FixtureFlag[] = [
  { name: 'parent.on', strategies: [share('60')] },
  { name: 'parent.off', strategies: [all], on: [] },
  { name: 'parent.variants', strategies: [all], variants: pair('default') },
  { name: 'child.on', strategies: [all], parents: [{ feature: 'parent.on' }] },
  { name: 'child.not', strategies: [all], parents: [{ feature: 'parent.on', enabled: false }] },
  { name: 'child.of-off', strategies: [all], parents: [{ feature: 'parent.off' }] },
  { name: 'child.left', strategies: [share('50')], parents: [{ feature: 'parent.variants', variants: ['left'] }] },
  { name: 'child.two', strategies: [all], parents: [{ feature: 'parent.on' }, { feature: 'parent.variants' }] },
];

const names = [
  'UPPER.Case',
  'upper.case',
  '-lead',
  'trail.',
  'a..b',
  '1e3',
  'null',
  '007',
  'true',
  '_',
  '~x',
  'n'.repeat(100),
];

const states: readonly FixtureFlag[] = [
  { name: 'life.dev', strategies: [all], on: ['development'] },
  { name: 'life.off', strategies: [all], on: [] },
  { name: 'life.prod', strategies: [share('50')], on: ['production'] },
  { name: 'life.stale', strategies: [all], isStale: true },
  { name: 'life.no-strategy', strategies: [], on: [] },
  { name: 'life.archived', strategies: [], on: [], isArchived: true },
  {
    name: 'life.described',
    type: 'experiment',
    description: 'Über, "so" \\ 日本\nsecond line',
    tags: ['1.0', 'null'],
    strategies: [all],
  },
  { name: 'life.kill', type: 'kill-switch', strategies: [all], tags: ['simple text'] },
  {
    name: 'own-date',
    strategies: [
      { ...all, constraints: [{ contextName: 'since', operator: 'DATE_AFTER', value: '2026-02-01T12:00:00.000Z' }] },
    ],
  },
  { name: 'decimal', strategies: [share('12.7')] },
  { name: 'no-group', strategies: [{ name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'default' } }] },
];

/** Combinations of what is above, as people have them. */
const mixed = Array.from({ length: 60 }, (_, index): FixtureFlag => {
  const [first, second] = [OPERANDS[index % OPERANDS.length], OPERANDS[(index * 7 + 3) % OPERANDS.length]];
  const constraint = (one: typeof first) => ({ operator: one?.[0], ...one?.[1] });
  return {
    name: `mixed.${index}`,
    strategies: [
      {
        ...share(`${(index * 13) % 101}`, { groupId: `mixed.${index}` }),
        constraints: [constraint(first)],
        sortOrder: 1,
      },
      {
        ...share(`${(index * 29) % 101}`, { stickiness: index % 2 === 0 ? 'userId' : 'sessionId' }),
        segments: [SEGMENTS[index % SEGMENTS.length]?.name ?? ''],
        constraints: [constraint(second)],
        ...(index % 3 === 0 && { variants: pair('default') }),
        sortOrder: 2,
      },
    ],
    ...(index % 4 === 0 && { variants: pair('userId') }),
    ...(index % 5 === 0 && { on: ['production'] }),
  };
});

const fixtureFlags: readonly FixtureFlag[] = [
  ...operators,
  ...shares,
  ...types,
  ...segmented,
  ...variants,
  ...children,
  ...names.map((name): FixtureFlag => ({ name, strategies: [share('50', { groupId: name })] })),
  ...states,
  ...mixed,
];

/** What the server can have: version 4.19 has no parents, segments, variants of strategies and disabled strategies. */
export function fixtureFlagsOf({ version }: UnleashServer): readonly FixtureFlag[] {
  if (!isVersion4(version)) return fixtureFlags;
  return fixtureFlags.flatMap(({ strategies, ...flag }) => {
    const kept = strategies.filter(({ disabled }) => !disabled).map(({ variants: _, segments: __, ...rest }) => rest);
    return flag.parents ? [] : [{ ...flag, strategies: kept }];
  });
}

function isVersion4(version: string): boolean {
  return version.startsWith('4.');
}

/** Returns what the server refused, each as a sentence. */
export async function fillUnleash(server: UnleashServer): Promise<readonly string[]> {
  const refused: string[] = [];
  const tried = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    try {
      return await server.admin(method, path, body);
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  for (const name of FIELDS) await server.admin('POST', '/context', { name, stickiness: name === 'company' });
  await fillTypes(server);
  const ids = await fillSegments(server);
  const flags = fixtureFlagsOf(server);
  for (const flag of flags) await fillFlag(flag, { tried, ids, ofFlag: isVersion4(server.version) });
  for (const { name, isArchived } of flags)
    if (isArchived) await tried('DELETE', `/projects/default/features/${encodeURIComponent(name)}`);
  return refused;
}

/** Makes the types that the flags use. */
export async function fillTypes(server: UnleashServer): Promise<void> {
  const parameters = [{ name: 'text', type: 'string', required: false }];
  await server.admin('POST', '/strategies', { name: OWN_TYPE, description: 'Ours', parameters });
  const { strategies } = (await server.admin('GET', '/strategies')) as { readonly strategies: readonly Named[] };
  const present = new Set(strategies.map(({ name }) => name));
  for (const [name, given] of Object.entries(OLD_TYPES)) {
    const ofType = given.map((one) => ({ name: one, type: typeOfParameter(one), required: false }));
    if (!present.has(name)) await server.admin('POST', '/strategies', { name, description: '', parameters: ofType });
  }
}

/** Returns the ids by name. */
async function fillSegments(server: UnleashServer): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const segment of isVersion4(server.version) ? [] : SEGMENTS) {
    const made = (await server.admin('POST', '/segments', segment)) as { readonly id: number };
    ids.set(segment.name, made.id);
  }
  return ids;
}

interface Named {
  readonly name: string;
}

function typeOfParameter(name: string): string {
  if (name === 'percentage') return 'percentage';
  return name === 'groupId' ? 'string' : 'list';
}

interface Filling {
  readonly tried: (method: string, path: string, body?: unknown) => Promise<unknown>;
  readonly ids: ReadonlyMap<string, number>;
  /** Variants are those of the flag, in all environments. */
  readonly ofFlag: boolean;
}

async function fillFlag(flag: FixtureFlag, filling: Filling): Promise<void> {
  const { name, type = 'release', description = '', tags = [], isStale, parents = [] } = flag;
  const { places = PLACES, on = places } = flag;
  const { tried } = filling;
  const path = `/projects/default/features/${encodeURIComponent(name)}`;
  await tried('POST', '/projects/default/features', { name, type, description });
  await fillPlaces(path, flag, filling);
  for (const value of tags)
    await tried('POST', `/features/${encodeURIComponent(name)}/tags`, { type: 'simple', value });
  for (const parent of parents) await tried('POST', `${path}/dependencies`, parent);
  if (isStale) await tried('PATCH', path, [{ op: 'replace', path: '/stale', value: true }]);
  for (const place of on) await tried('POST', `${path}/environments/${place}/on`);
}

async function fillPlaces(
  path: string,
  { strategies, variants, places = PLACES }: FixtureFlag,
  { tried, ids, ofFlag }: Filling,
): Promise<void> {
  for (const place of places) {
    for (const { segments, ...strategy } of strategies) {
      const used = segments && { segments: segments.map((one) => ids.get(one)) };
      const body = { constraints: [], parameters: {}, ...strategy, ...used };
      await tried('POST', `${path}/environments/${place}/strategies`, body);
    }
    if (variants && !ofFlag) await tried('PUT', `${path}/environments/${place}/variants`, variants);
  }
  if (variants && ofFlag) await tried('PUT', `${path}/variants`, variants);
}
