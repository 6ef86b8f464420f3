/** A good call of each endpoint, as a dry run, in each of two projects: what the tests of permissions ask with. */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { CallOptions } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject, aStrategyType, aUser, type Manifest } from '../support/builders.ts';
import { type Endpoint, endpoints } from './endpoints/endpoints.ts';

/** Where a call is made. */
export interface Place {
  readonly project: string;
  readonly environment: string;
  readonly flag: string;
  /** A flag of the project in the archive. */
  readonly archived: string;
}

const parentOf = (flag: string) => `parent-of-${flag}`;

/** Of the project `shop`, at home. */
export const inShop: Place = { project: 'shop', environment: 'production', flag: 'chosen', archived: 'put-away' };
/** Of the project `pay`, in the other namespace. */
export const inPay: Place = { project: 'pay', environment: 'production', flag: 'far', archived: 'far-away' };

export interface AccessCall {
  readonly endpoint: Endpoint;
  /** As in the list of routes. */
  readonly route: string;
  readonly request: string;
  readonly options: CallOptions;
  /** Of whom it is allowed. */
  readonly answer: number;
}

/** Whether it is another call in another project. */
export function isPlaced(route: string): boolean {
  return /:projectId|:featureName/.test(route);
}

/** What a call about an API token needs goes by the type of the token: api-tokens-permissions.test.ts has a table of its own. */
const tokenCalls = /^[A-Z]+ \/api-tokens/;
/** To be deleted a project must have no flags, and these have: projects-delete.test.ts asks who may. */
const projectDeletion = 'DELETE /projects/:projectId';

/** A good call of every endpoint but those; a write is a dry run. */
export function callsIn({ project, environment, flag, archived }: Place): readonly AccessCall[] {
  const [features, stowed] = [[flag], [archived]];
  const bodies: Readonly<Record<string, unknown>> = {
    'PUT /environments/sort-order': { [environment]: 7 },
    'PUT /projects/:projectId/features/:featureName/variants-batch': { variants: [], environments: [environment] },
    'POST /projects/:projectId/archive': { features },
    'POST /projects/:projectId/revive': { features: stowed },
    'POST /projects/:projectId/delete': { features: stowed },
    'POST /projects/:projectId/stale': { features },
    'PUT /projects/:projectId/tags': { features, tags: {} },
    'POST /projects/:projectId/features/:featureName/dependencies': { feature: parentOf(flag) },
    'POST /projects/:projectId/bulk_features/environments/:environment/on': { features },
    'POST /projects/:projectId/bulk_features/environments/:environment/off': { features },
    'POST /features/validate': { name: 'fresh', projectId: project },
  };
  const called = endpoints.filter(({ route }) => !tokenCalls.test(route) && route !== projectDeletion);
  return called.map((endpoint) => {
    const { route, method, path, isRead, archived: isArchived, values, body, answer } = endpoint;
    const names = {
      projectId: project,
      featureName: isArchived ? archived : flag,
      environment,
      strategyName: 'country',
    };
    const sent = bodies[route] ?? body;
    return {
      endpoint,
      route,
      request: `${method} ${path({ ...values, ...names })}${isRead ? '' : '?dryRun=true'}`,
      options: sent === undefined ? {} : { body: sent },
      answer,
    };
  });
}

const strategies = { one: { name: 'default' }, two: { name: 'default' } };
const spec: FlagSpec = {
  environments: { production: { strategies }, development: { strategies } },
  variants: [{ name: 'blue' }],
  tags: ['simple:present'],
};

/** What the calls are about in one project; `more` are members beside an owner and the member that calls change. */
export function placeManifests(
  namespace: string,
  { project, flag, archived }: Place,
  more: Readonly<Record<string, string>> = {},
): readonly Manifest[] {
  const members = { ada: 'owner', lin: 'member', ...more };
  return [
    aProject(`${namespace}/${project}`, { environments: ['development', 'production'], members }),
    aFlag(`${namespace}/${flag}`, { project, ...spec }),
    aFlag(`${namespace}/${parentOf(flag)}`, { project }),
    aFlag(`${namespace}/${archived}`, { project, ...spec, archived: true }),
  ];
}

/** What the calls are about whatever the project. */
export function sharedManifests(home: string): readonly Manifest[] {
  return [
    anEnvironment(`${home}/elsewhere`, { enabled: false }),
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3 }),
    aStrategyType(`${home}/country`),
  ];
}
