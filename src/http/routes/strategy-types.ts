/** /strategies: built-in and defined strategy types. */
import { z } from 'zod';
import { type Known, toHome } from '../../access/authorization/requirements.ts';
import { createUnderFreeName } from '../../actions/create-under-free-name.ts';
import { refusalOfTakenName } from '../../actions/name-refusals.ts';
import { findStrategyDefinition, findStrategyType } from '../../catalog/find.ts';
import { refuseInUse } from '../../domain/flag/uses.ts';
import {
  changeStrategyType,
  deprecateStrategyType,
  reactivateStrategyType,
} from '../../domain/strategy-type/edit-strategy-type.ts';
import { strategyTypeOf } from '../../domain/strategy-type/strategy-types.ts';
import type { Refusal } from '../../errors.ts';
import type { StrategyDefinition, StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import { presentStrategyType, wireStrategyType, wireStrategyTypes } from '../../wire/admin/strategy-type.ts';
import {
  changeOfUpdate,
  strategyTypeBody,
  strategyTypeSpecOfCreate,
  strategyTypeUpdateBody,
} from '../../wire/admin/strategy-type-input.ts';
import { mapApiServerErrors } from '../route/map-api-server-errors.ts';
import { ifSeen } from '../route/precondition.ts';
import { type Route, route } from '../route/route.ts';
import { represent } from '../server/answer/representation.ts';

export const strategyTypePath = z.object({
  strategyName: z.string().meta({ description: 'The name of the strategy type.', examples: ['country'] }),
});

function find({ catalog }: Known, { strategyName }: z.infer<typeof strategyTypePath>): StrategyDefinition | undefined {
  return catalog.strategyDefinition(strategyName);
}

const sent = ({ strategyName }: z.infer<typeof strategyTypePath>) => strategyName;

function show(definition: StrategyDefinition) {
  return presentStrategyType(strategyTypeOf(definition));
}

function ifTypeSeen(ifMatch: string | undefined) {
  return ifSeen(ifMatch, 'strategy type', (one: StrategyDefinition) => [represent(show(one))]);
}

function typeExists(name: string): Refusal {
  return refusalOfTakenName({ subject: 'A strategy type', name });
}

interface Deprecation {
  readonly verb: 'deprecate' | 'reactivate';
  readonly summary: string;
  readonly edit: (definition: StrategyDefinition) => StrategyDefinitionSpec;
}

function deprecationRoute({ verb, summary, edit }: Deprecation): Route {
  return route({
    method: 'post',
    path: `/strategies/:strategyName/${verb}`,
    summary,
    errors: ['not-found', 'operation-denied'],
    requires: toHome({ verb: 'patch', resource: 'strategydefinitions', permission: 'UPDATE_STRATEGY', find, sent }),
    params: strategyTypePath,
    answer: 200,
    handle: async ({ catalog, strategyTypes }, { params, dryRun, ifMatch }) => {
      const { metadata } = findStrategyDefinition(catalog, params.strategyName);
      await strategyTypes.change(metadata, edit, { dryRun, expect: ifTypeSeen(ifMatch) });
    },
  });
}

export const strategyTypeRoutes = [
  route({
    method: 'get',
    path: '/strategies',
    summary: 'List the strategy types.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'strategydefinitions', permission: 'NONE' }),
    answer: 200,
    response: wireStrategyTypes,
    handle: ({ catalog }) => {
      return { version: 1, strategies: [...catalog.strategyTypes().values()].map(presentStrategyType) };
    },
  }),
  route({
    method: 'post',
    path: '/strategies',
    summary: 'Define a strategy type. Your clients implement it.',
    errors: ['name-taken'],
    requires: toHome({ verb: 'create', resource: 'strategydefinitions', permission: 'CREATE_STRATEGY' }),
    body: strategyTypeBody,
    answer: 201,
    response: wireStrategyType,
    handle: async ({ catalog, strategyTypes, home }, { body, dryRun }) => {
      const { name } = body;
      if (catalog.strategyTypes().has(name)) throw typeExists(name);
      const newResource = { namespace: home, wireName: name, spec: strategyTypeSpecOfCreate(body), dryRun };
      const write = createUnderFreeName(strategyTypes, newResource);
      const { object, isNew } = await mapApiServerErrors({ at: [], wanted: () => body }, write);
      if (!isNew) throw typeExists(name);
      return show(object);
    },
  }),
  route({
    method: 'get',
    path: '/strategies/:strategyName',
    summary: 'Read a strategy type.',
    errors: ['not-found'],
    requires: toHome({ verb: 'get', resource: 'strategydefinitions', permission: 'NONE', find, sent }),
    params: strategyTypePath,
    answer: 200,
    response: wireStrategyType,
    handle: ({ catalog }, { params }) => presentStrategyType(findStrategyType(catalog, params.strategyName)),
  }),
  route({
    method: 'put',
    path: '/strategies/:strategyName',
    summary: 'Change a strategy type. Existing strategies may lack parameters that it newly requires.',
    description:
      'Absent properties keep their value, and null removes a property. The list of parameters is replaced as a whole. A stored strategy that lacks a newly required parameter stays on, and the status of its flag has a warning. `PUT` and `PATCH` of the strategy answer 400 until it has the parameter.',
    errors: ['not-found', 'operation-denied'],
    requires: toHome({ verb: 'patch', resource: 'strategydefinitions', permission: 'UPDATE_STRATEGY', find, sent }),
    params: strategyTypePath,
    body: strategyTypeUpdateBody,
    answer: 200,
    response: wireStrategyType,
    handle: async ({ catalog, strategyTypes }, { params, body, dryRun, ifMatch }) => {
      const { metadata } = findStrategyDefinition(catalog, params.strategyName);
      const change = changeOfUpdate(params.strategyName, body);
      const edit = (one: StrategyDefinition) => changeStrategyType(one, change);
      const write = strategyTypes.change(metadata, edit, { dryRun, expect: ifTypeSeen(ifMatch) });
      return show(await mapApiServerErrors({ at: [], wanted: () => body }, write));
    },
  }),
  route({
    method: 'delete',
    path: '/strategies/:strategyName',
    summary: 'Delete a strategy type that no flag uses, except archived flags.',
    description:
      'Answers 409 while a flag that is not archived has a strategy of the type, enabled or not: the flag would be switched off at once. Remove the strategies first, or deprecate the type. Vexil does not refuse deletions with kubectl or Git, or a flag that gains such a strategy during the deletion. The flag then reports `UnknownStrategy` and is off there until the type exists again.',
    errors: ['not-found', 'operation-denied', 'in-use'],
    requires: toHome({ verb: 'delete', resource: 'strategydefinitions', permission: 'DELETE_STRATEGY', find, sent }),
    touches: 'all',
    params: strategyTypePath,
    answer: 200,
    handle: async ({ catalog, strategyTypes }, { params, dryRun, ifMatch }) => {
      const { strategyName } = params;
      const matches = ifTypeSeen(ifMatch);
      const expect = (one: StrategyDefinition) => {
        matches(one);
        refuseInUse(one, catalog.flagsOfStrategyType(strategyName));
      };
      await strategyTypes.delete(findStrategyDefinition(catalog, strategyName), { dryRun, expect });
    },
  }),
  deprecationRoute({
    verb: 'deprecate',
    summary: 'Deprecate a strategy type. Existing strategies stay in effect.',
    edit: deprecateStrategyType,
  }),
  deprecationRoute({
    verb: 'reactivate',
    summary: 'Reactivate a deprecated strategy type.',
    edit: reactivateStrategyType,
  }),
];
