/** What a good call of each endpoint looks like: the calls that the tables of bad input spoil in one place each. */
import { routes } from '../../../src/http/routes/all.ts';
import type { FlagSpec } from '../../../src/schema/feature-flag.ts';
import { aFlag, anEnvironment, aProject, aStrategyType, aToken, aUser } from '../../support/builders.ts';
import type { Instance } from '../../support/instance.ts';

export interface Good {
  /** A body that is taken; absent: the endpoint takes none. */
  readonly body?: unknown;
  /** Whether its flag is in the archive. */
  readonly archived?: true;
  /** Why a good call is a dry run: it could not be made a second time. */
  readonly dry?: string;
  /** What its parameters stand for, if not for the usual. */
  readonly values?: Readonly<Record<string, string>>;
}

const READ: Good = {};
const FLAG = '/projects/:projectId/features/:featureName';
const PLACE = `${FLAG}/environments/:environment`;
const MEMBER = '/projects/:projectId/users/:userId/roles/:roleId';
const BULK = '/projects/:projectId/bulk_features/environments/:environment';
/** What every flag has. */
const tag = { type: 'simple', value: 'present' };
const variant = {
  name: 'blue',
  weightType: 'variable',
  weight: 1000,
  stickiness: 'default',
  payload: { type: 'string', value: 'b' },
  overrides: [{ contextName: 'userId', values: ['1'] }],
};
const strategy = {
  name: 'flexibleRollout',
  title: 'Staff first',
  disabled: false,
  sortOrder: 3,
  parameters: { rollout: 25, groupId: 'g', stickiness: 'default' },
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], caseInsensitive: false, inverted: false }],
  variants: [variant],
  segments: [],
};

const strategyType = {
  displayName: 'Country',
  description: 'd',
  parameters: [{ name: 'countries', type: 'list', description: 'd', required: true }],
};

/**
 * Every endpoint, by its route. Parameters stand for `shop`, a flag, a strategy type and an API token of the endpoint's own, `production`,
 * `one`, a member of `shop` and the role Member, unless the endpoint says otherwise.
 */
const good: Readonly<Record<string, Good>> = {
  'GET /projects': READ,
  'POST /projects': {
    body: {
      id: 'fresh',
      name: 'Fresh',
      description: 'd',
      defaultStickiness: 'userId',
      mode: 'open',
      featureLimit: null,
    },
    dry: 'the id would be taken',
  },
  'POST /projects/validate': { body: { id: 'fresh' } },
  'GET /projects/:projectId': READ,
  'PUT /projects/:projectId': {
    body: { name: 'Shop', description: 'd', defaultStickiness: 'userId', mode: 'open', featureLimit: null },
  },
  'DELETE /projects/:projectId': { values: { projectId: 'empty' }, dry: 'the project would be gone' },
  'GET /projects/:projectId/overview': READ,
  'GET /projects/:projectId/health-report': READ,
  'POST /projects/:projectId/archive': { body: { features: ['bulk'] }, dry: 'the flag would be in the archive' },
  'POST /projects/:projectId/revive': { body: { features: ['bulk-stowed'] }, dry: 'it would be out of the archive' },
  'POST /projects/:projectId/delete': { body: { features: ['bulk-stowed'] }, dry: 'the flag would be gone' },
  'POST /projects/:projectId/stale': { body: { features: ['bulk'], stale: true } },
  'PUT /projects/:projectId/tags': {
    body: { features: ['bulk'], tags: { addedTags: [tag], removedTags: [{ ...tag }] } },
    dry: 'there may be 100 at most',
  },
  [`POST ${BULK}/on`]: { body: { features: ['bulk'] } },
  [`POST ${BULK}/off`]: { body: { features: ['bulk'] } },
  'GET /features/:featureName/tags': READ,
  'POST /features/:featureName/tags': { body: { type: 'simple', value: 'fresh' }, dry: 'the tag would be there' },
  'PUT /features/:featureName/tags': {
    body: { addedTags: [tag], removedTags: [{ ...tag }] },
    dry: 'there may be 100 at most',
  },
  'DELETE /features/:featureName/tags/:type/:value': { values: tag, dry: 'the tag would be gone' },
  'GET /features': READ,
  'POST /features/validate': { body: { name: 'fresh', projectId: 'shop' } },
  'GET /search/features': READ,
  'GET /ui-config': READ,
  'GET /projects/:projectId/features': READ,
  'POST /projects/:projectId/features': {
    body: { name: 'fresh', description: 'd', type: 'release', impressionData: false, stale: false },
    dry: 'the name would be taken',
  },
  [`GET ${FLAG}`]: READ,
  [`PUT ${FLAG}`]: { body: { description: 'd', type: 'release', stale: false, impressionData: false } },
  [`PATCH ${FLAG}`]: { body: [{ op: 'replace', path: '/description', value: 'd' }] },
  [`POST ${FLAG}/clone`]: { body: { name: 'fresh' }, dry: 'the name would be taken' },
  [`DELETE ${FLAG}`]: { dry: 'the flag would be in the archive' },
  [`POST ${PLACE}/on`]: {},
  [`POST ${PLACE}/off`]: {},
  [`GET ${PLACE}`]: READ,
  [`GET ${PLACE}/strategies`]: READ,
  [`POST ${PLACE}/strategies`]: { body: strategy, dry: 'there may be 30 at most' },
  [`POST ${PLACE}/strategies/set-sort-order`]: { body: [{ id: 'one', sortOrder: 1 }] },
  [`GET ${PLACE}/strategies/:strategyId`]: READ,
  [`PUT ${PLACE}/strategies/:strategyId`]: { body: strategy },
  [`PATCH ${PLACE}/strategies/:strategyId`]: { body: [{ op: 'replace', path: '/title', value: 't' }] },
  [`DELETE ${PLACE}/strategies/:strategyId`]: { dry: 'the strategy would be gone' },
  [`GET ${FLAG}/ownership`]: READ,
  [`POST ${FLAG}/ownership`]: { body: {} },
  [`GET ${FLAG}/variants`]: READ,
  [`PUT ${FLAG}/variants`]: { body: [variant] },
  [`PATCH ${FLAG}/variants`]: { body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }] },
  [`PUT ${FLAG}/variants-batch`]: { body: { variants: [variant], environments: ['production'] } },
  [`GET ${PLACE}/variants`]: READ,
  [`PUT ${PLACE}/variants`]: { body: [variant] },
  [`PATCH ${PLACE}/variants`]: { body: [{ op: 'replace', path: '/0/stickiness', value: 'userId' }] },
  'GET /archive/features': READ,
  'GET /archive/features/:projectId': READ,
  'POST /archive/revive/:featureName': { archived: true, dry: 'the flag would be out of the archive' },
  'DELETE /archive/:featureName': { archived: true, dry: 'the flag would be gone' },
  'GET /environments': READ,
  'PUT /environments/sort-order': { body: { production: 2 } },
  'GET /environments/:environment': READ,
  'POST /environments/:environment/clone': {
    body: { name: 'fresh', type: 'test', projects: ['shop'], clonePermissions: true },
    dry: 'the name would be taken',
  },
  'POST /environments/:environment/on': {},
  'POST /environments/:environment/off': { dry: 'no other project would use it' },
  'GET /environments/project/:projectId': READ,
  'POST /projects/:projectId/environments': { body: { environment: 'elsewhere' }, dry: 'it would be there already' },
  'DELETE /projects/:projectId/environments/:environment': { dry: 'it would be gone' },
  [`POST ${MEMBER}`]: { values: { userId: '3' }, dry: 'the user would be in the project already' },
  [`PUT ${MEMBER}`]: {},
  [`DELETE ${MEMBER}`]: { dry: 'the member would be gone' },
  'GET /feature-types': READ,
  'GET /strategies': READ,
  'POST /strategies': { body: { name: 'fresh', ...strategyType }, dry: 'the name would be taken' },
  'GET /strategies/:strategyName': READ,
  'PUT /strategies/:strategyName': { body: strategyType },
  'DELETE /strategies/:strategyName': { dry: 'the strategy type would be gone' },
  'POST /strategies/:strategyName/deprecate': {},
  'POST /strategies/:strategyName/reactivate': {},
  'GET /search/events': READ,
  'GET /search/events/export': READ,
  'GET /events': READ,
  'GET /events/:featureName': READ,
  'GET /state/export': READ,
  'POST /state/import': {
    body: { version: 1, features: [{ name: 'fresh', project: 'shop' }] },
    dry: 'the flag would be there already',
  },
  'GET /user-admin': READ,
  'GET /user-admin/search': READ,
  'GET /api-tokens': READ,
  'GET /api-tokens/:tokenName': READ,
  'POST /api-tokens': {
    body: {
      tokenName: 'fresh',
      username: 'fresh',
      type: 'client',
      environment: 'production',
      project: 'shop',
      projects: ['shop'],
      expiresAt: '2999-01-01T00:00:00.000Z',
    },
    dry: 'the name would be taken',
  },
  'PUT /api-tokens/:tokenName': { body: { expiresAt: '2999-01-01T00:00:00.000Z' } },
  'DELETE /api-tokens/:tokenName': { dry: 'the token would be gone' },
};

export interface Endpoint extends Good {
  /** As in the list of routes: `PUT /projects/:projectId/features/:featureName`. */
  readonly route: string;
  readonly method: string;
  /** Of its parameters, in their order. */
  readonly parameters: readonly string[];
  readonly answer: number;
  readonly isRead: boolean;
  /** The flag that it is called with; one that writes has it for itself. */
  readonly flag: string;
  /** The path with these values, percent-encoded, in place of the good ones. */
  readonly path: (values?: Readonly<Record<string, string>>) => string;
}

export const endpoints: readonly Endpoint[] = routes.map(({ method, path, answer }, number) => {
  const route = `${method.toUpperCase()} ${path}`;
  const flag = method === 'get' ? 'for-reads' : `for-${number}`;
  const values: Readonly<Record<string, string>> = {
    projectId: 'shop',
    featureName: flag,
    environment: 'production',
    strategyId: 'one',
    userId: '2',
    roleId: '5',
    // One that writes has it for itself, too.
    strategyName: flag,
    tokenName: flag,
    ...good[route]?.values,
  };
  return {
    ...good[route],
    route,
    method: method.toUpperCase(),
    parameters: [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
    answer,
    isRead: method === 'get',
    flag,
    path: (other = {}) => path.replace(/:(\w+)/g, (_, name: string) => other[name] ?? values[name] ?? ''),
  };
});

/** Routes that the list above does not have, and entries of it that are no route. */
export function mismatches(): readonly string[] {
  const known = endpoints.map(({ route }) => route);
  return [...known.filter((route) => !good[route]), ...Object.keys(good).filter((route) => !known.includes(route))];
}

/** What every good call finds: a flag with strategies and a variant, a strategy type, an API token. */
export async function prepare({ home, apply }: Instance): Promise<void> {
  const spec: FlagSpec = {
    environments: { production: { strategies: { one: { name: 'default' }, two: { name: 'default' } } } },
    variants: [{ name: 'blue' }],
    tags: ['simple:present'],
  };
  await apply(
    anEnvironment(`${home}/elsewhere`, { enabled: false }),
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3 }),
    aProject(`${home}/shop`, {
      environments: ['development', 'production'],
      members: { ada: 'owner', lin: 'member' },
    }),
    aProject(`${home}/empty`),
    aFlag(`${home}/for-reads`, spec),
    aFlag(`${home}/bulk`, spec),
    aFlag(`${home}/bulk-stowed`, { ...spec, archived: true }),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('strategyName'))
      .map(({ flag }) => aStrategyType(`${home}/${flag}`)),
    ...endpoints
      .filter(({ parameters }) => parameters.includes('tokenName'))
      .map(({ flag }) => aToken(`${home}/${flag}`)),
    ...endpoints
      .filter(({ isRead }) => !isRead)
      .map(({ flag, archived = false }) => aFlag(`${home}/${flag}`, { ...spec, archived })),
  );
}
