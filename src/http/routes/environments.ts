/** /environments. */
import { z } from 'zod';
import { type Known, namedByBody, toHome } from '../../access/authorization/requirements.ts';
import { cloneEnvironment } from '../../actions/clone-environment.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { findEnvironment } from '../../catalog/find.ts';
import { disableEnvironment, enableEnvironment, moveEnvironment } from '../../domain/environment/edit-environment.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import { type Environment, type EnvironmentSpec, environment as environmentKind } from '../../schema/environment.ts';
import {
  presentEnvironment,
  type WireEnvironment,
  wireEnvironment,
  wireEnvironments,
} from '../../wire/admin/project/environment.ts';
import {
  cloneEnvironmentBody,
  cloneRequest,
  environmentOrderBody,
} from '../../wire/admin/project/environment-input.ts';
import { manifestsAfter } from '../route/manifest.ts';
import { ifSeen } from '../route/precondition.ts';
import { type Route, route } from '../route/route.ts';
import { MANIFEST_TYPE, represent } from '../server/answer/representation.ts';

export const environmentName = z
  .string()
  .meta({ description: 'The name of the environment.', examples: ['production'] });

export const environmentNamePath = z.object({ environment: environmentName });

function find({ catalog }: Known, { environment }: z.infer<typeof environmentNamePath>): Environment | undefined {
  return catalog.environment(environment);
}

const sent = ({ environment }: z.infer<typeof environmentNamePath>) => environment;

const change = { verb: 'patch', resource: 'environments', permission: 'ADMIN' } as const;
const toChange = toHome({ ...change, find, sent });
const toChangeAny = toHome<unknown>(change);

function show(catalog: Catalog, environment: Environment): WireEnvironment {
  return presentEnvironment(environment, catalog.useOf(wireNameOf(environment)), catalog.now());
}

function showAll(catalog: Catalog) {
  return { version: 1, environments: catalog.environments().map((one) => show(catalog, one)) };
}

interface EnvironmentSwitch {
  readonly position: 'on' | 'off';
  readonly summary: string;
  readonly edit: (environment: Environment) => EnvironmentSpec;
}

function switchRoute({ position, summary, edit }: EnvironmentSwitch): Route {
  return route({
    method: 'post',
    path: `/environments/:environment/${position}`,
    summary,
    description:
      'For a protected environment, the answer is 204 and nothing is written; kubectl can change the environment. `If-Match` takes the ETag of the environment, which changes with its counts.',
    errors: ['not-found'],
    requires: toChange,
    params: environmentNamePath,
    answer: 204,
    handle: async ({ catalog, environments }, { params, dryRun, ifMatch }) => {
      const { metadata } = findEnvironment(catalog, params.environment);
      const expect = ifSeen(ifMatch, 'environment', (one: Environment) => [represent(show(catalog, one))]);
      await environments.change(metadata, edit, { dryRun, expect });
    },
  });
}

/** The named environments; throws with the names of all that do not exist. */
function findEach<T>(catalog: Catalog, byName: Readonly<Record<string, T>>): readonly (readonly [Environment, T])[] {
  const names = Object.keys(byName);
  const unknown = names.filter((name) => !catalog.environment(name));
  if (unknown.length > 1) {
    throw new Refusal('not-found', `Could not find environments with names: ${unknown.join(', ')}`);
  }
  return Object.entries(byName).map(([name, value]) => [findEnvironment(catalog, name), value]);
}

export const environmentRoutes = [
  route({
    method: 'get',
    path: '/environments',
    summary: 'List the environments.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'environments', permission: 'NONE' }),
    answer: 200,
    response: wireEnvironments,
    handle: ({ catalog }) => showAll(catalog),
  }),
  route({
    method: 'put',
    path: '/environments/sort-order',
    summary: 'Put environments in order.',
    description:
      'Each environment that moves is a separate write. Vexil first tries all writes as dry runs. If a write fails afterwards, the earlier writes stay: repeat the request. `If-Match` takes the ETag of the list of environments. Vexil compares it once, before the first write.',
    errors: ['not-found'],
    requires: namedByBody(toChangeAny, (known, { environment }) =>
      environment === undefined ? toChangeAny.of(known, {}) : toChange.of(known, { environment }),
    ),
    requiresFromBody: (known, { body }) => {
      const names = Object.keys(body);
      return (names.length === 0 ? [''] : names).map((environment) => toChange.of(known, { environment }));
    },
    body: environmentOrderBody,
    answer: 200,
    handle: async ({ catalog, environments }, { body, dryRun, ifMatch }) => {
      const moves = findEach(catalog, body);
      ifSeen(ifMatch, 'list of environments', () => [represent(showAll(catalog))])(undefined);
      const move = ([{ metadata }, sortOrder]: (typeof moves)[number], isDryRun: boolean) =>
        environments.change(metadata, (one) => moveEnvironment(one, sortOrder), { dryRun: isDryRun });
      await Promise.all(moves.map((one) => move(one, true)));
      if (!dryRun) for (const one of moves) await move(one, false);
    },
  }),
  route({
    method: 'get',
    path: '/environments/:environment',
    summary: 'Read an environment.',
    description:
      'With `Accept: application/yaml` the answer is the manifest of the Environment for Git, with its freezes. The manifest has no status, labels or annotations. The same spec always gives the same bytes.',
    errors: ['not-found'],
    requires: toHome({ verb: 'get', resource: 'environments', permission: 'NONE', find, sent }),
    params: environmentNamePath,
    answer: 200,
    response: wireEnvironment,
    texts: [MANIFEST_TYPE],
    handle: ({ catalog }, { params, wantsManifest }) => {
      const found = findEnvironment(catalog, params.environment);
      return wantsManifest ? manifestsAfter([{ kind: environmentKind.kind, object: found }]) : show(catalog, found);
    },
  }),
  switchRoute({
    position: 'on',
    summary:
      'Enable an environment: projects without a list of environments use it. A protected environment stays unchanged.',
    edit: enableEnvironment,
  }),
  switchRoute({
    position: 'off',
    summary: 'Disable an environment: only projects that list it use it. A protected environment stays unchanged.',
    edit: disableEnvironment,
  }),
];

const sourcePath = z.object({
  environment: z
    .string()
    .meta({ description: 'The name of the environment that is cloned.', examples: ['production'] }),
});

export const environmentCloneRoutes = [
  route({
    method: 'post',
    path: '/environments/:environment/clone',
    summary:
      'Create an environment as a copy of another, with its configuration in the flags of the projects. The request waits until the clone is done. After 60 seconds the answer is 503: send the same request again to keep waiting.',
    errors: ['not-found', 'name-taken'],
    requires: toHome({ verb: 'create', resource: 'environments', permission: 'ADMIN' }),
    touches: 'all',
    params: sourcePath,
    body: cloneEnvironmentBody,
    answer: 200,
    creates: true,
    omitsUnreadable: true,
    response: wireEnvironment,
    handle: async (services, { params, body, dryRun }) => {
      const wanted = { request: cloneRequest(params.environment, body), type: body.type, dryRun };
      return show(services.catalog, await cloneEnvironment(services, wanted));
    },
  }),
];
