/** Environments. */
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { disableEnvironment, enableEnvironment, moveEnvironment } from '../../domain/edit-environment.ts';
import { wireNameOf } from '../../domain/names.ts';
import { AppError } from '../../errors.ts';
import type { Environment, EnvironmentSpec } from '../../schema/environment.ts';
import { findEnvironment } from '../find.ts';
import { type Known, namedByBody, toHome } from '../identity/asks.ts';
import { ifSeen } from '../precondition.ts';
import { represent } from '../representation.ts';
import { type Route, route } from '../route.ts';
import { presentEnvironment, type WireEnvironment, wireEnvironment, wireEnvironments } from '../wire/environment.ts';
import { environmentOrderBody } from '../wire/environment-order-input.ts';

export const environmentName = z
  .string()
  .meta({ description: 'The name of the environment.', examples: ['production'] });

const environmentPath = z.object({ environment: environmentName });

function find({ catalog }: Known, { environment }: z.infer<typeof environmentPath>): Environment | undefined {
  return catalog.environment(environment);
}

const sent = ({ environment }: z.infer<typeof environmentPath>) => environment;

const toChange = toHome({ verb: 'patch', resource: 'environments', permission: 'ADMIN', find, sent });

function show(catalog: Catalog, environment: Environment): WireEnvironment {
  return presentEnvironment(environment, catalog.useOf(wireNameOf(environment)));
}

function showAll(catalog: Catalog) {
  return { version: 1, environments: catalog.environments().map((one) => show(catalog, one)) };
}

interface Switch {
  readonly position: 'on' | 'off';
  readonly summary: string;
  readonly edit: (environment: Environment) => EnvironmentSpec;
}

function switchRoute({ position, summary, edit }: Switch): Route {
  return route({
    method: 'post',
    path: `/environments/:environment/${position}`,
    summary,
    refuses: ['not-found'],
    asks: toChange,
    params: environmentPath,
    answer: 204,
    handle: async ({ catalog, environments }, { params, dryRun, ifMatch }) => {
      const { metadata } = findEnvironment(catalog, params.environment);
      const expect = ifSeen(ifMatch, 'environment', (one: Environment) => [represent(show(catalog, one))]);
      await environments.change(metadata, edit, { dryRun, expect });
    },
  });
}

/** Each environment that is named, or the names of all that are not there. */
function findEach<T>(catalog: Catalog, byName: Readonly<Record<string, T>>): readonly (readonly [Environment, T])[] {
  const names = Object.keys(byName);
  const unknown = names.filter((name) => !catalog.environment(name));
  if (unknown.length > 1) {
    throw new AppError('not-found', `Could not find environments with names: ${unknown.join(', ')}`);
  }
  return Object.entries(byName).map(([name, value]) => [findEnvironment(catalog, name), value]);
}

export const environmentRoutes = [
  route({
    method: 'get',
    path: '/environments',
    summary: 'List the environments.',
    refuses: [],
    asks: toHome({ verb: 'list', resource: 'environments', permission: 'NONE' }),
    answer: 200,
    response: wireEnvironments,
    handle: ({ catalog }) => showAll(catalog),
  }),
  route({
    method: 'put',
    path: '/environments/sort-order',
    summary: 'Put environments in order.',
    refuses: ['not-found'],
    asks: namedByBody(toChange),
    alsoAsks: (known, { body }) => {
      const names = Object.keys(body);
      return (names.length === 0 ? [''] : names).map((environment) => toChange.of(known, { environment }));
    },
    body: environmentOrderBody,
    answer: 200,
    handle: async ({ catalog, environments }, { body, dryRun, ifMatch }) => {
      const moves = findEach(catalog, body);
      ifSeen(ifMatch, 'list of environments', () => [represent(showAll(catalog))])(undefined);
      const move = ([{ metadata }, sortOrder]: (typeof moves)[number], isRehearsal: boolean) =>
        environments.change(metadata, (one) => moveEnvironment(one, sortOrder), { dryRun: isRehearsal });
      await Promise.all(moves.map((one) => move(one, true)));
      if (!dryRun) for (const one of moves) await move(one, false);
    },
  }),
  route({
    method: 'get',
    path: '/environments/:environment',
    summary: 'Read an environment.',
    refuses: ['not-found'],
    asks: toHome({ verb: 'get', resource: 'environments', permission: 'NONE', find, sent }),
    params: environmentPath,
    answer: 200,
    response: wireEnvironment,
    handle: ({ catalog }, { params }) => show(catalog, findEnvironment(catalog, params.environment)),
  }),
  switchRoute({
    position: 'on',
    summary: 'Let projects that list no environments use this one. A protected one stays as it is.',
    edit: enableEnvironment,
  }),
  switchRoute({
    position: 'off',
    summary: 'Let only projects that list it use this environment. A protected one stays as it is.',
    edit: disableEnvironment,
  }),
];
