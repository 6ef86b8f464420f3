/** Strategy types: those that are built in, and those that are defined. */
import { z } from 'zod';
import {
  changeStrategyType,
  deprecateStrategyType,
  reactivateStrategyType,
  refuseInUse,
} from '../../domain/edit-strategy-type.ts';
import { strategyTypeOf } from '../../domain/strategy-types.ts';
import { AppError } from '../../errors.ts';
import type { StrategyDefinition, StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import { inWordsOf } from '../cluster-refusal.ts';
import { createUnderFreeName } from '../create-under-free-name.ts';
import { findStrategyDefinition, findStrategyType } from '../find.ts';
import { type Known, toHome } from '../identity/asks.ts';
import { ifSeen } from '../precondition.ts';
import { represent } from '../representation.ts';
import { type Route, route } from '../route.ts';
import { presentStrategyType, wireStrategyType, wireStrategyTypes } from '../wire/strategy-type.ts';
import { changeOfUpdate, specOfCreate, strategyTypeBody, strategyTypeUpdateBody } from '../wire/strategy-type-input.ts';

const typePath = z.object({
  strategyName: z.string().meta({ description: 'The name of the strategy type.', examples: ['country'] }),
});

function find({ catalog }: Known, { strategyName }: z.infer<typeof typePath>): StrategyDefinition | undefined {
  return catalog.strategyDefinition(strategyName);
}

const sent = ({ strategyName }: z.infer<typeof typePath>) => strategyName;

function show(definition: StrategyDefinition) {
  return presentStrategyType(strategyTypeOf(definition));
}

function ifTypeSeen(ifMatch: string | undefined) {
  return ifSeen(ifMatch, 'strategy type', (one: StrategyDefinition) => [represent(show(one))]);
}

function nameTaken(name: string): AppError {
  return new AppError('name-taken', `A strategy type with the name "${name}" already exists. Choose another name.`);
}

interface Mark {
  readonly verb: 'deprecate' | 'reactivate';
  readonly summary: string;
  readonly edit: (definition: StrategyDefinition) => StrategyDefinitionSpec;
}

function markRoute({ verb, summary, edit }: Mark): Route {
  return route({
    method: 'post',
    path: `/strategies/:strategyName/${verb}`,
    summary,
    refuses: ['not-found', 'operation-denied'],
    asks: toHome({ verb: 'patch', resource: 'strategydefinitions', permission: 'UPDATE_STRATEGY', find, sent }),
    params: typePath,
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
    refuses: [],
    asks: toHome({ verb: 'list', resource: 'strategydefinitions', permission: 'NONE' }),
    answer: 200,
    response: wireStrategyTypes,
    handle: ({ catalog }) => {
      return { version: 1, strategies: [...catalog.strategyTypes().values()].map(presentStrategyType) };
    },
  }),
  route({
    method: 'post',
    path: '/strategies',
    summary: 'Define a strategy type, which your clients implement.',
    refuses: ['name-taken'],
    asks: toHome({ verb: 'create', resource: 'strategydefinitions', permission: 'CREATE_STRATEGY' }),
    body: strategyTypeBody,
    answer: 201,
    response: wireStrategyType,
    handle: async ({ catalog, strategyTypes, home }, { body, dryRun }) => {
      const { name } = body;
      if (catalog.strategyTypes().has(name)) throw nameTaken(name);
      const unborn = { namespace: home, wireName: name, spec: specOfCreate(body), dryRun };
      const write = createUnderFreeName(strategyTypes, unborn);
      const { object, isNew } = await inWordsOf({ at: [], wanted: () => body }, write);
      if (!isNew) throw nameTaken(name);
      return show(object);
    },
  }),
  route({
    method: 'get',
    path: '/strategies/:strategyName',
    summary: 'Read a strategy type.',
    refuses: ['not-found'],
    asks: toHome({ verb: 'get', resource: 'strategydefinitions', permission: 'NONE', find, sent }),
    params: typePath,
    answer: 200,
    response: wireStrategyType,
    handle: ({ catalog }, { params }) => presentStrategyType(findStrategyType(catalog, params.strategyName)),
  }),
  route({
    method: 'put',
    path: '/strategies/:strategyName',
    summary: 'Change a strategy type. What it requires from now on, the strategies that there are may lack.',
    refuses: ['not-found', 'operation-denied'],
    asks: toHome({ verb: 'patch', resource: 'strategydefinitions', permission: 'UPDATE_STRATEGY', find, sent }),
    params: typePath,
    body: strategyTypeUpdateBody,
    answer: 200,
    response: wireStrategyType,
    handle: async ({ catalog, strategyTypes }, { params, body, dryRun, ifMatch }) => {
      const { metadata } = findStrategyDefinition(catalog, params.strategyName);
      const change = changeOfUpdate(params.strategyName, body);
      const edit = (one: StrategyDefinition) => changeStrategyType(one, change);
      const write = strategyTypes.change(metadata, edit, { dryRun, expect: ifTypeSeen(ifMatch) });
      return show(await inWordsOf({ at: [], wanted: () => body }, write));
    },
  }),
  route({
    method: 'delete',
    path: '/strategies/:strategyName',
    summary: 'Delete a strategy type that no flag uses, archived ones aside.',
    refuses: ['not-found', 'operation-denied', 'in-use'],
    asks: toHome({ verb: 'delete', resource: 'strategydefinitions', permission: 'DELETE_STRATEGY', find, sent }),
    params: typePath,
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
  markRoute({
    verb: 'deprecate',
    summary: 'Advise against new strategies of a type; those that there are go on.',
    edit: deprecateStrategyType,
  }),
  markRoute({
    verb: 'reactivate',
    summary: 'Advise against a type no more.',
    edit: reactivateStrategyType,
  }),
];
