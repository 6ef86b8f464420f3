/**
 * The permission for each environment: the test users that have it, and the changes that they try through every API.
 */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import { type Account, createAccount, type Rule } from './account.ts';
import { aFlag, anEnvironment } from './builders.ts';
import { installPolicyIn, untilRefused } from './control-plane/install-admission.ts';
import { objectPath } from './control-plane/objects.ts';
import type { Instance } from './instance.ts';
import type { Stored } from './stored.ts';

const strategies = { all: { name: 'default' } };

/**
 * The spec of every flag before a change. `night-shift` is the wire name of an Environment with another object name;
 * `missing` is the name of none.
 */
export const startingSpec: FlagSpec = {
  description: 'before',
  environments: {
    development: { enabled: false, strategies },
    production: { enabled: false, strategies },
    'night-shift': { enabled: false, strategies },
    missing: { enabled: false, strategies },
  },
};

export type User = 'developer' | 'night' | 'everywhere' | 'nowhere';

/** The environments whose configuration each user may change; undefined for all. */
const mayChange: Readonly<Record<User, readonly string[] | undefined>> = {
  developer: ['development'],
  night: ['night-shift', 'missing'],
  everywhere: undefined,
  nowhere: [],
};

export const users = Object.keys(mayChange) as readonly User[];

export interface Attempt {
  readonly name: string;
  /** The environments that the change concerns. */
  readonly touches: readonly string[];
  /** The same change as a call of the API, on the flag with the given path. If absent, the API has no call for it. */
  readonly call?: (path: string) => { readonly request: string; readonly body?: unknown };
  readonly edit: (spec: Stored) => Stored;
  /** Whether the change removes something. An apply removes only what the same applier has set. */
  readonly removes?: boolean;
}

function edited(change: (spec: Stored) => void): (spec: Stored) => Stored {
  return (spec) => {
    const copy = structuredClone(spec);
    change(copy);
    return copy;
  };
}

const switching = (environment: string): Attempt => ({
  name: `switch on in ${environment}`,
  touches: [environment],
  call: (path) => ({ request: `POST ${path}/environments/${environment}/on` }),
  edit: edited(({ environments }) => {
    environments[environment].enabled = true;
  }),
});

/**
 * The changes. Each user tries each of them through each API, on a flag of its own; the expected result follows from
 * `touches` and `mayChange`.
 */
export const attempts: readonly Attempt[] = [
  switching('development'),
  switching('production'),
  switching('night-shift'),
  {
    name: 'change what holds in all environments alike',
    touches: [],
    call: (path) => ({ request: `PATCH ${path}`, body: [{ op: 'replace', path: '/description', value: 'after' }] }),
    edit: edited((spec) => {
      spec.description = 'after';
    }),
  },
  {
    name: 'change nothing',
    touches: [],
    call: (path) => ({ request: `POST ${path}/environments/production/off` }),
    edit: (spec) => spec,
  },
  {
    name: 'add a strategy in production',
    touches: ['production'],
    call: (path) => ({ request: `POST ${path}/environments/production/strategies`, body: { name: 'default' } }),
    edit: edited(({ environments }) => {
      environments.production.strategies.more = { name: 'default' };
    }),
  },
  {
    name: 'take the strategy from development',
    touches: ['development'],
    removes: true,
    edit: edited(({ environments }) => {
      delete environments.development.strategies.all;
    }),
  },
  {
    name: 'give production variants of its own',
    touches: ['production'],
    call: (path) => ({ request: `PUT ${path}/environments/production/variants`, body: [{ name: 'blue' }] }),
    edit: edited(({ environments }) => {
      environments.production.variants = [{ name: 'blue' }];
    }),
  },
  {
    name: 'switch on in development and production in one write',
    touches: ['development', 'production'],
    edit: edited(({ environments }) => {
      environments.development.enabled = true;
      environments.production.enabled = true;
    }),
  },
  {
    name: 'switch on in development, and change the description',
    touches: ['development'],
    edit: edited((spec) => {
      spec.description = 'after';
      spec.environments.development.enabled = true;
    }),
  },
  {
    name: 'switch on where no Environment is yet',
    touches: ['missing'],
    edit: edited(({ environments }) => {
      environments.missing.enabled = true;
    }),
  },
  {
    name: 'add an environment',
    touches: ['another'],
    edit: edited(({ environments }) => {
      environments.another = { enabled: false };
    }),
  },
  {
    name: 'remove production',
    touches: ['production'],
    removes: true,
    edit: edited(({ environments }) => {
      delete environments.production;
    }),
  },
  {
    name: 'remove development',
    touches: ['development'],
    removes: true,
    edit: edited(({ environments }) => {
      delete environments.development;
    }),
  },
  {
    name: 'remove all environments',
    touches: ['development', 'production', 'night-shift', 'missing'],
    removes: true,
    edit: edited((spec) => {
      delete spec.environments;
    }),
  },
  {
    name: 'say null for all environments',
    touches: ['development', 'production', 'night-shift', 'missing'],
    removes: true,
    edit: edited((spec) => {
      spec.environments = null;
    }),
  },
];

/** Returns the environments of the change that the user may not change. */
export function refusedTo(user: User, { touches }: Pick<Attempt, 'touches'>): readonly string[] {
  const names = mayChange[user];
  return names === undefined ? [] : touches.filter((one) => !names.includes(one));
}

export function isAllowed(user: User, attempt: Pick<Attempt, 'touches'>): boolean {
  return refusedTo(user, attempt).length === 0;
}

/**
 * The flags are not in the operator namespace, where Environments are: only the rights in the namespace of the flags
 * count.
 */
export async function permissionUsers({ cluster, home, other }: Instance): Promise<Readonly<Record<User, Account>>> {
  const flags: Rule = [['*'], ['featureflags', 'featureflags/status']];
  const granted = users.map(async (user) => {
    const names = mayChange[user];
    const change: Rule = names ? [['change-flags'], ['environments'], names] : [['change-flags'], ['environments']];
    const inOther = names?.length === 0 ? [flags] : [flags, change];
    const project: Rule = [['get'], ['projects']];
    const rules = { [other]: [...inOther, project], [home]: [[['change-flags'], ['environments']] as const] };
    return [user, await createAccount(cluster, { namespace: other, name: user, rules })] as const;
  });
  return Object.fromEntries(await Promise.all(granted)) as Record<User, Account>;
}

/**
 * Resolves when the policy refuses. Creates the Environments `development`, `production`, and one whose wire name
 * differs from its object name.
 */
export async function installEnvironmentPermission(instance: Instance, withoutRights: Account): Promise<void> {
  const { cluster, home, other } = instance;
  await instance.apply(anEnvironment(`${home}/night`, { name: 'night-shift', sortOrder: 3 }));
  await installPolicyIn(cluster, 'opt-in/environment-permission.yaml', [home, other]);
  const probe = aFlag(`${other}/probe`, { project: 'pay', environments: { production: {} } });
  const call = { method: 'POST', path: objectPath('ff', other), query: { dryRun: 'All' }, body: probe } as const;
  await untilRefused(cluster, call, withoutRights.kubeconfig);
}
