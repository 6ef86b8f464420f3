/** A good call of each endpoint, as a dry run, in each of two projects, for the tests of permissions. */
import type { FlagSpec } from '../../src/schema/feature-flag.ts';
import type { CallOptions } from '../support/admin-client.ts';
import {
  aChangeRequest,
  aFlag,
  anEnvironment,
  aProject,
  aSegment,
  aStrategyType,
  aUser,
  type Manifest,
} from '../support/builders.ts';
import { type Endpoint, endpoints } from './endpoints/endpoints.ts';
import type { Place } from './endpoints/row.ts';
import { ramped } from './endpoints/world.ts';

/** The number of calls at the same time: the API refuses a write that waits for more than 10 s. */
export const CALLS_AT_ONCE = 16;

/** The place of calls about the project `shop`, in the operator namespace. */
export const inShop: Place = {
  project: 'shop',
  environment: 'production',
  flag: 'chosen',
  archived: 'put-away',
  parent: 'parent-in-shop',
};
/** The place of calls about the project `pay`, in the other namespace. */
export const inPay: Place = {
  project: 'pay',
  environment: 'production',
  flag: 'far',
  archived: 'far-away',
  parent: 'parent-in-pay',
};

/** The id of the segment `vip`. */
const VIP = 7;

export interface AccessCall {
  readonly endpoint: Endpoint;
  /** The route as in the list of routes. */
  readonly route: string;
  readonly request: string;
  readonly options: CallOptions;
  /** The users that may call it. */
  readonly answer: number;
}

/** Whether the call differs between projects. */
export function isPlaced(route: string): boolean {
  return /:projectId|:featureName/.test(route);
}

/**
 * The permission for a call about an API token depends on the type of the token; api-tokens-permissions.test.ts has its
 * own table.
 */
const tokenCalls = /^[A-Z]+ \/api-tokens/;
/**
 * A project with flags cannot be deleted, and these projects have flags. project-owner.test.ts tests who may delete a
 * project.
 */
const projectDeletion = 'DELETE /projects/:projectId';
/**
 * Who may decide depends on the request, and a token that belongs to no user may not comment: approvals.test.ts and
 * change-requests.test.ts test both.
 */
const aboutRequests = new Set(['state', 'comments'].map((what) => `/projects/:projectId/change-requests/:id/${what}`));

/** Returns a good call of every endpoint except those. A write is a dry run. */
export function callsIn(place: Place): readonly AccessCall[] {
  const { project, environment, flag, archived, parent } = place;
  const called = endpoints.filter(
    ({ route }) =>
      !tokenCalls.test(route) && route !== projectDeletion && !aboutRequests.has(route.split(' ')[1] ?? ''),
  );
  return called.map((endpoint) => {
    const { route, method, path, isRead, archived: isArchived, values, bodyIn, answer } = endpoint;
    const names = {
      projectId: project,
      featureName: isArchived ? archived : flag,
      environment,
      parent,
      strategyName: 'country',
      segmentId: `${VIP}`,
      id: `change-${flag}`,
    };
    const sent = bodyIn(place);
    return {
      endpoint,
      route,
      request: `${method} ${path({ ...values, ...names })}${isRead ? '' : '?dryRun=true'}`,
      options: sent === undefined ? {} : { body: sent },
      answer,
    };
  });
}

const strategies = { one: ramped, two: { name: 'default' } };
const spec: FlagSpec = {
  environments: { production: { strategies }, development: { strategies } },
  variants: [{ name: 'blue' }],
  tags: ['simple:present'],
};

/**
 * The objects that the calls of one project use. `more` are further members, in addition to an owner and the member
 * that calls change.
 */
export function placeManifests(
  namespace: string,
  { project, flag, archived, parent }: Place,
  more: Readonly<Record<string, string>> = {},
): readonly Manifest[] {
  const members = { ada: 'owner', lin: 'member', ...more };
  return [
    aProject(`${namespace}/${project}`, { environments: ['development', 'production'], members }),
    aFlag(`${namespace}/${flag}`, { project, ...spec, dependencies: [{ feature: parent }] }),
    aFlag(`${namespace}/${parent}`, { project }),
    aChangeRequest(`${namespace}/change-${flag}`, flag),
    aFlag(`${namespace}/${archived}`, { project, ...spec, archived: true }),
  ];
}

/** The objects that the calls of every project use. */
export function sharedManifests(home: string): readonly Manifest[] {
  return [
    anEnvironment(`${home}/elsewhere`, { enabled: false }),
    aUser(`${home}/ada`, { id: 1 }),
    aUser(`${home}/lin`, { id: 2 }),
    aUser(`${home}/eva`, { id: 3 }),
    aStrategyType(`${home}/country`),
    aSegment(`${home}/vip`, { id: VIP }),
  ];
}
