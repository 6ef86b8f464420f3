/** Ways to change a flag while production is frozen, for every API, and whether a freeze refuses them. */
import type { FlagEnvironment, FlagSpec } from '../../src/schema/feature-flag.ts';
import type { Stored } from './stored.ts';

/** The spec of a flag before a change. */
export const beforeFreeze: FlagSpec = {
  project: 'shop',
  description: 'before',
  environments: {
    development: { enabled: false, strategies: { all: { name: 'default' } } },
    production: {
      enabled: true,
      activeFrom: '2026-01-01T00:00:00Z',
      strategies: {
        some: {
          name: 'flexibleRollout',
          parameters: { rollout: 10, stickiness: 'default', groupId: 'x' },
          ramp: { startAt: '2026-01-01T00:00:00Z', steps: [{ rollout: 20, for: '10h' }, { rollout: 100 }] },
        },
        off: { name: 'default', disabled: true },
      },
    },
  },
};

export interface FreezeWay {
  readonly name: string;
  readonly isRefused: boolean;
  /** Whether the flag is off in production before the change. */
  readonly startsOff?: boolean;
  /** What the flag says of production before the change, instead. */
  readonly entry?: FlagEnvironment | undefined;
  readonly edit: (spec: Stored) => void;
}

const refused = (name: string, edit: FreezeWay['edit']): FreezeWay => ({ name, isRefused: true, edit });
const allowed = (name: string, edit: FreezeWay['edit']): FreezeWay => ({ name, isRefused: false, edit });
const inProduction = (edit: (production: Stored) => void) => (spec: Stored) => edit(spec.environments.production);

export const freezeWays: readonly FreezeWay[] = [
  allowed('change the description', (spec) => {
    spec.description = 'after';
  }),
  allowed('switch on in another environment', (spec) => {
    spec.environments.development.enabled = true;
  }),
  allowed(
    'switch off',
    inProduction((production) => {
      production.enabled = false;
    }),
  ),
  allowed(
    'switch off by saying nothing',
    inProduction((production) => {
      delete production.enabled;
    }),
  ),
  allowed(
    'disable a strategy',
    inProduction(({ strategies }) => {
      strategies.some.disabled = true;
    }),
  ),
  allowed(
    'pause a ramp',
    inProduction(({ strategies }) => {
      strategies.some.ramp.pausedAt = '2026-01-01T01:00:00Z';
    }),
  ),
  allowed(
    'abort a ramp',
    inProduction((production) => {
      production.enabled = false;
      production.strategies.some.disabled = true;
      production.strategies.some.ramp.pausedAt = '2026-01-01T01:00:00Z';
    }),
  ),
  refused(
    'switch off with another percentage',
    inProduction((production) => {
      production.enabled = false;
      production.strategies.some.parameters.rollout = 100;
    }),
  ),
  {
    ...refused(
      'switch on',
      inProduction((production) => {
        production.enabled = true;
      }),
    ),
    startsOff: true,
  },
  refused(
    'enable a strategy',
    inProduction(({ strategies }) => {
      strategies.off.disabled = false;
    }),
  ),
  refused(
    'add a strategy',
    inProduction(({ strategies }) => {
      strategies.more = { name: 'default' };
    }),
  ),
  refused(
    'remove a strategy',
    inProduction(({ strategies }) => {
      delete strategies.off;
    }),
  ),
  refused(
    'skip a step of a ramp',
    inProduction(({ strategies }) => {
      strategies.some.ramp.startAt = '2025-12-01T00:00:00Z';
    }),
  ),
  refused(
    'pause a ramp and change its steps',
    inProduction(({ strategies }) => {
      strategies.some.ramp.pausedAt = '2026-01-01T01:00:00Z';
      strategies.some.ramp.steps[0].rollout = 100;
    }),
  ),
  refused(
    'remove a window',
    inProduction((production) => {
      delete production.activeFrom;
    }),
  ),
  refused(
    'add variants in the environment',
    inProduction((production) => {
      production.variants = [{ name: 'blue', weight: 1000 }];
    }),
  ),
  refused('add variants in all environments', (spec) => {
    spec.variants = [{ name: 'blue', weight: 1000 }];
  }),
  refused('archive the flag', (spec) => {
    spec.archived = true;
  }),
  refused('remove the environment', (spec) => {
    delete spec.environments.production;
  }),
  ...entryWays(),
  refused('remove all environments', (spec) => {
    spec.environments = null;
  }),
];

/** Entries for production that come or go. */
function entryWays(): readonly FreezeWay[] {
  const setTo = (entry: FlagEnvironment | undefined) => (spec: Stored) => {
    spec.environments.production = entry;
  };
  const strategies = { all: { name: 'default' } };
  return [
    { ...allowed('add an entry that is off', setTo({ enabled: false })), entry: undefined },
    { ...allowed('add an entry that says nothing', setTo({})), entry: undefined },
    { ...allowed('remove an entry that is off', setTo(undefined)), entry: { enabled: false } },
    { ...allowed('add an entry without strategies', setTo({ enabled: false, strategies: {} })), entry: undefined },
    { ...refused('add an entry with variants of its own', setTo({ enabled: false, variants: [] })), entry: undefined },
    { ...refused('add an entry that is on', setTo({ enabled: true })), entry: undefined },
    { ...refused('add an entry that is off with a strategy', setTo({ enabled: false, strategies })), entry: undefined },
    { ...refused('remove an entry that is off with a strategy', setTo(undefined)), entry: { strategies } },
    {
      ...refused('add an entry that is off, and variants', (spec) => {
        spec.environments.production = { enabled: false };
        spec.variants = [{ name: 'blue', weight: 1000 }];
      }),
      entry: undefined,
    },
  ];
}

export function beforeOf(way: Pick<FreezeWay, 'startsOff' | 'entry'>): FlagSpec {
  const spec = structuredClone(beforeFreeze) as Stored;
  if (way.startsOff) spec.environments.production.enabled = false;
  if ('entry' in way) spec.environments.production = way.entry;
  return JSON.parse(JSON.stringify(spec));
}

export function afterOf(way: FreezeWay): FlagSpec {
  const spec = beforeOf(way);
  way.edit(spec as Stored);
  return JSON.parse(JSON.stringify(spec));
}
