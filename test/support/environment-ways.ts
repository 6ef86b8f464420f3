/**
 * Every way to change what is in effect in an environment, with the environments that each needs the permission for.
 */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { ProjectSpec } from '../../src/schema/project.ts';
import { type Account, createAccount, type Rule } from './account.ts';
import { aFlag, anEnvironment, aProject, aSegment, aStrategyType, type Manifest } from './builders.ts';
import type { Instance } from './instance.ts';

const strategies = { all: { name: 'default' } };
const inDevelopment: FlagSpec = { project: 'pay', environments: { development: { enabled: true, strategies } } };
const inBoth: FlagSpec = {
  project: 'pay',
  environments: { ...inDevelopment.environments, production: { enabled: true, strategies } },
};
const both = ['development', 'production'];

/** Callers who may write every object. Only their rights on environments differ. */
export const callers = ['allButProduction', 'named', 'everything'] as const;
export type CallerName = (typeof callers)[number];

/** The write: a merge patch, a deletion, or the creation of the manifest itself. */
type Write = { readonly patch: object } | 'delete' | 'delete collection' | 'create';

interface Request {
  readonly request: string;
  readonly body?: unknown;
}

export interface Way {
  readonly name: string;
  /** The environments that need the permission. `ITSELF` is the written object; if empty, no permission is needed. */
  readonly requires: readonly string[] | 'all';
  readonly start: (place: string) => Manifest;
  readonly home?: true;
  /** The write at the API server. If absent, only the API can write it this way. */
  readonly write?: Write;
  /** The same change over HTTP. If absent, the API has no call for it. */
  readonly call?: (name: string) => Request;
}

export const ITSELF = 'ITSELF';

const flag = (spec: FlagSpec) => (place: string) => aFlag(place, spec);
const project = (spec: ProjectSpec) => (place: string) => aProject(place, spec);
const features = (name: string) => `/projects/pay/features/${name}`;
const memberOf = (method: string, role: number) => (name: string) => ({
  request: `${method} /projects/${name}/users/1/roles/${role}`,
});
const owner = { 'way-user': 'owner' };
const alertFor = (name: string) => ({
  status: 'firing',
  labels: { vexil_flag: name, vexil_environment: 'production', vexil_action: 'off' },
  startsAt: '2026-03-01T09:30:00Z',
  fingerprint: 'a1',
});

export const ways: readonly Way[] = [
  {
    name: 'archive a flag',
    requires: both,
    start: flag(inBoth),
    write: { patch: { spec: { archived: true } } },
    call: (name) => ({ request: `DELETE ${features(name)}` }),
  },
  {
    name: 'archive several flags',
    requires: both,
    start: flag(inBoth),
    call: (name) => ({ request: 'POST /projects/pay/archive', body: { features: [name] } }),
  },
  {
    name: 'switch a flag off by an alert',
    requires: ['production'],
    start: flag(inBoth),
    call: (name) => ({ request: 'POST /alerts', body: { version: '4', alerts: [alertFor(name)] } }),
  },
  {
    name: 'archive a flag that names development only',
    requires: ['development'],
    start: flag(inDevelopment),
    write: { patch: { spec: { archived: true } } },
    call: (name) => ({ request: `DELETE ${features(name)}` }),
  },
  {
    name: 'revive a flag',
    requires: both,
    start: flag({ ...inBoth, archived: true }),
    write: { patch: { spec: { archived: null } } },
    call: (name) => ({ request: `POST /archive/revive/${name}` }),
  },
  {
    name: 'make a flag depend on another',
    requires: both,
    start: flag(inBoth),
    write: { patch: { spec: { dependencies: [{ feature: 'way-parent' }] } } },
  },
  {
    name: 'remove the dependencies of a flag',
    requires: both,
    start: flag({ ...inBoth, dependencies: [{ feature: 'way-parent' }] }),
    write: { patch: { spec: { dependencies: null } } },
    call: (name) => ({ request: `DELETE ${features(name)}/dependencies` }),
  },
  {
    name: 'change the variants that environments share',
    requires: both,
    start: flag(inBoth),
    write: { patch: { spec: { variants: [{ name: 'blue' }] } } },
    call: (name) => ({ request: `PUT ${features(name)}/variants`, body: [{ name: 'blue' }] }),
  },
  {
    name: 'change a description',
    requires: [],
    start: flag(inBoth),
    write: { patch: { spec: { description: 'after' } } },
    call: (name) => ({
      request: `PATCH ${features(name)}`,
      body: [{ op: 'replace', path: '/description', value: 'after' }],
    }),
  },
  {
    name: 'delete a flag',
    requires: both,
    start: flag({ ...inBoth, archived: true }),
    write: 'delete',
    call: (name) => ({ request: `DELETE /archive/${name}` }),
  },
  { name: 'delete a collection of flags', requires: both, start: flag(inBoth), write: 'delete collection' },
  { name: 'delete a flag that names no environment', requires: [], start: flag({ project: 'pay' }), write: 'delete' },
  { name: 'create a flag', requires: both, start: flag(inBoth), write: 'create' },
  {
    name: 'take an environment from the list of a project',
    requires: ['production'],
    start: project({ environments: both }),
    write: { patch: { spec: { environments: ['development'] } } },
    call: (name) => ({ request: `DELETE /projects/${name}/environments/production` }),
  },
  {
    name: 'add an environment to the list of a project',
    requires: ['production'],
    start: project({ environments: ['development'] }),
    write: { patch: { spec: { environments: both } } },
    call: (name) => ({ request: `POST /projects/${name}/environments`, body: { environment: 'production' } }),
  },
  {
    name: 'give a project a list',
    requires: 'all',
    start: project({}),
    write: { patch: { spec: { environments: ['development', 'production'] } } },
    call: (name) => ({ request: `DELETE /projects/${name}/environments/production` }),
  },
  {
    name: 'drop the list of a project',
    requires: 'all',
    start: project({ environments: both }),
    write: { patch: { spec: { environments: null } } },
  },
  {
    name: 'add a member',
    requires: 'all',
    start: project({}),
    write: { patch: { spec: { members: { 'way-user': 'member' } } } },
    call: memberOf('POST', 5),
  },
  {
    name: 'give a member another role',
    requires: 'all',
    start: project({ members: { 'way-user': 'member' } }),
    write: { patch: { spec: { members: owner } } },
    call: memberOf('PUT', 4),
  },
  {
    name: 'take a member off',
    requires: [],
    start: project({ members: { 'way-user': 'member' } }),
    write: { patch: { spec: { members: { 'way-user': null } } } },
    call: memberOf('DELETE', 5),
  },
  {
    name: 'describe a project',
    requires: [],
    start: project({ environments: both, members: owner }),
    write: { patch: { spec: { description: 'after' } } },
    call: (name) => ({ request: `PUT /projects/${name}`, body: { name: 'after', description: 'after' } }),
  },
  {
    name: 'delete a project with a list',
    requires: both,
    start: project({ environments: both }),
    write: 'delete',
    call: (name) => ({ request: `DELETE /projects/${name}` }),
  },
  {
    name: 'delete a project without a list',
    requires: 'all',
    start: project({}),
    write: 'delete',
    call: (name) => ({ request: `DELETE /projects/${name}` }),
  },
  { name: 'create a project with members', requires: 'all', start: project({ members: owner }), write: 'create' },
  {
    name: 'create the project that every Editor may change',
    requires: 'all',
    start: project({ name: 'default' }),
    write: 'create',
  },
  { name: 'create a project without members', requires: [], start: project({ environments: both }), write: 'create' },
  {
    name: 'disable an environment',
    requires: [ITSELF],
    home: true,
    start: anEnvironment,
    write: { patch: { spec: { enabled: false } } },
    call: (name) => ({ request: `POST /environments/${name}/off` }),
  },
  {
    name: 'enable an environment',
    requires: [ITSELF],
    home: true,
    start: (place) => anEnvironment(place, { enabled: false }),
    write: { patch: { spec: { enabled: null } } },
    call: (name) => ({ request: `POST /environments/${name}/on` }),
  },
  { name: 'delete an environment', requires: [ITSELF], home: true, start: anEnvironment, write: 'delete' },
  { name: 'create an environment', requires: [ITSELF], home: true, start: anEnvironment, write: 'create' },
  {
    name: 'put an environment elsewhere in the order',
    requires: [],
    home: true,
    start: anEnvironment,
    write: { patch: { spec: { sortOrder: 7 } } },
    call: (name) => ({ request: 'PUT /environments/sort-order', body: { [name]: 7 } }),
  },
  {
    name: 'delete a strategy type',
    requires: 'all',
    home: true,
    start: aStrategyType,
    write: 'delete',
    call: (name) => ({ request: `DELETE /strategies/${name}` }),
  },
  { name: 'create a segment', requires: 'all', start: aSegment, write: 'create' },
  { name: 'delete a segment', requires: 'all', start: aSegment, write: 'delete' },
  {
    name: 'change the constraints of a segment',
    requires: 'all',
    start: aSegment,
    write: { patch: { spec: { constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }] } } },
  },
  {
    name: 'change the project of a segment',
    requires: 'all',
    start: aSegment,
    write: { patch: { spec: { project: 'pay' } } },
  },
  {
    name: 'describe a segment',
    requires: [],
    start: aSegment,
    write: { patch: { spec: { description: 'after' } } },
  },
];

export const objectName = ({ name }: Way): string => name.toLowerCase().replaceAll(' ', '-');

/** A caller who just lacks the permission, if there is one, and a caller who just has it. */
export function callersOf({ requires }: Way): { readonly refused?: CallerName; readonly allowed: CallerName } {
  if (requires === 'all') return { refused: 'named', allowed: 'everything' };
  const isInDevelopment = requires.every((name) => name === 'development');
  return isInDevelopment ? { allowed: 'allButProduction' } : { refused: 'allButProduction', allowed: 'named' };
}

/** Creates the callers. Each may write all kinds in both namespaces, and has other rights on environments. */
export async function createCallers({ cluster, home, other }: Instance): Promise<Record<CallerName, Account>> {
  const names: Record<CallerName, readonly string[] | undefined> = {
    allButProduction: ['development', 'staging'],
    named: ['development', 'production', ...ways.map(objectName)],
    everything: undefined,
  };
  const write: Rule = [
    ['get', 'list', 'create', 'patch', 'delete', 'deletecollection'],
    ['featureflags', 'projects', 'environments', 'strategydefinitions', 'segments'],
  ];
  const created = callers.map(async (caller) => {
    const named = names[caller];
    const change: Rule = named ? [['change-flags'], ['environments'], named] : [['change-flags'], ['environments']];
    // Endpoints for members need it too.
    const readUsers: Rule = [['list'], ['flagusers']];
    const rules = { [other]: [write, change], [home]: [write, change, readUsers] };
    return [caller, await createAccount(cluster, { namespace: other, name: caller.toLowerCase(), rules })] as const;
  });
  return Object.fromEntries(await Promise.all(created)) as Record<CallerName, Account>;
}
