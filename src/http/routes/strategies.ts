/** Endpoints 9 to 12 with their neighbours: the strategies of a flag in an environment. */
import { z } from 'zod';
import type { EditPlace } from '../../domain/edit-place.ts';
import {
  addStrategy,
  changeStrategy,
  orderStrategies,
  removeStrategy,
  strategiesIn,
  strategyIn,
} from '../../domain/edit-strategies.ts';
import { wireNameOf } from '../../domain/names.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Strategy } from '../../schema/strategy.ts';
import { inWordsOf } from '../cluster-refusal.ts';
import { findAnyFlag, findFlag } from '../find.ts';
import { toFlag } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { type Input, route, type Services } from '../route.ts';
import { patchBody } from '../wire/json-patch.ts';
import {
  exampleStrategy,
  presentStrategy,
  type WireStrategy,
  wireFeatureEnvironment,
  wireStrategy,
} from '../wire/strategy.ts';
import {
  orderBody,
  type Present,
  strategyBody,
  strategyOfCreate,
  strategyOfPatch,
  strategyOfUpdate,
  strategyUpdateBody,
} from '../wire/strategy-input.ts';
import { environmentPath } from './switches.ts';

const base = '/projects/:projectId/features/:featureName/environments/:environment';
const strategyPath = environmentPath.extend({
  strategyId: z.string().meta({ description: 'The id of the strategy.', examples: [exampleStrategy.id] }),
});

type EnvironmentPath = z.infer<typeof environmentPath>;
type StrategyPath = z.infer<typeof strategyPath>;

/** The flag as it stands in the place that a path names. */
function at<P extends EnvironmentPath>({ catalog }: Services, params: P, flag: FeatureFlag) {
  const place = { ...params, surroundings: catalog.surroundingsOf(flag) };
  const wirePlace = { flag: wireNameOf(flag), environment: params.environment };
  return { place, wirePlace };
}

function showAll(services: Services, params: EnvironmentPath, flag: FeatureFlag): WireStrategy[] {
  const { place, wirePlace } = at(services, params, flag);
  return strategiesIn(flag, place).map((keyed) => presentStrategy(wirePlace, keyed));
}

function readOne(services: Services, params: StrategyPath, flag: FeatureFlag): Present {
  const { place, wirePlace } = at(services, params, flag);
  const keyed = strategyIn(flag, place);
  return { strategy: keyed.strategy, shown: presentStrategy(wirePlace, keyed) };
}

function showOne(services: Services, params: StrategyPath, flag: FeatureFlag): WireStrategy {
  return readOne(services, params, flag).shown;
}

interface Write<P> {
  readonly edit: (flag: FeatureFlag, place: P & EditPlace) => FlagSpec;
  /** What GET shows of the part that is written, for If-Match. */
  readonly show: (services: Services, params: P, flag: FeatureFlag) => unknown;
  /** What the caller wants the strategy to be; absent: the body. */
  readonly wanted?: () => unknown;
}

async function change<P extends EnvironmentPath>(
  services: Services,
  { params, body, dryRun, ifMatch }: Input<P, unknown, unknown>,
  { edit, show, wanted = () => body }: Write<P>,
): Promise<FeatureFlag> {
  const { catalog, flags, pages } = services;
  const expect = ifPresent(ifMatch, pages, (flag) => show(services, params, flag));
  const { metadata } = findAnyFlag(catalog, params);
  const write = flags.change(metadata, (flag) => edit(flag, at(services, params, flag).place), { dryRun, expect });
  return inWordsOf({ at: ['environments', params.environment, 'strategies', undefined], wanted }, write);
}

/** What PUT and PATCH share: they differ in how the new strategy is told. */
async function changeOne(
  services: Services,
  input: Input<StrategyPath, unknown, unknown>,
  next: (present: Present) => Strategy,
): Promise<WireStrategy> {
  const { params } = input;
  const wanted = (flag: FeatureFlag) => next(readOne(services, params, flag));
  const flag = await change(services, input, {
    edit: (version, place) => changeStrategy(version, place, wanted(version)),
    show: showOne,
    wanted: () => wanted(findAnyFlag(services.catalog, params)),
  });
  return showOne(services, params, flag);
}

export const strategyRoutes = [
  route({
    method: 'get',
    path: base,
    summary: 'Read what a flag is in an environment.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: wireFeatureEnvironment,
    handle: (services, { params }) => {
      const flag = findFlag(services.catalog, params);
      const strategies = showAll(services, params, flag);
      const enabled = services.catalog.effectOf(flag).enabledIn.has(params.environment);
      return { name: wireNameOf(flag), environment: params.environment, enabled, strategies };
    },
  }),
  route({
    method: 'get',
    path: `${base}/strategies`,
    summary: 'List the strategies of a flag in an environment.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: z.array(wireStrategy),
    handle: (services, { params }) => showAll(services, params, findFlag(services.catalog, params)),
  }),
  route({
    method: 'post',
    path: `${base}/strategies`,
    summary: 'Add a strategy to a flag in an environment.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'CREATE_FEATURE_STRATEGY'),
    params: environmentPath,
    body: strategyBody,
    answer: 200,
    response: wireStrategy,
    handle: async (services, input) => {
      const key = services.newId();
      const edit = (flag: FeatureFlag, place: EditPlace) =>
        addStrategy(flag, place, { key, strategy: strategyOfCreate(input.body) });
      const flag = await change(services, input, { edit, show: showAll });
      return showOne(services, { ...input.params, strategyId: key }, flag);
    },
  }),
  route({
    method: 'post',
    path: `${base}/strategies/set-sort-order`,
    summary: 'Put the strategies of a flag in an environment in order.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: environmentPath,
    body: orderBody,
    answer: 200,
    handle: async (services, input) => {
      const edit = (flag: FeatureFlag, place: EditPlace) => orderStrategies(flag, place, input.body);
      await change(services, input, { edit, show: showAll });
    },
  }),
  route({
    method: 'get',
    path: `${base}/strategies/:strategyId`,
    summary: 'Read a strategy.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: strategyPath,
    answer: 200,
    response: wireStrategy,
    handle: (services, { params }) => showOne(services, params, findFlag(services.catalog, params)),
  }),
  route({
    method: 'put',
    path: `${base}/strategies/:strategyId`,
    summary: 'Overwrite a strategy.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: strategyPath,
    body: strategyUpdateBody,
    answer: 200,
    response: wireStrategy,
    handle: (services, input) => changeOne(services, input, (present) => strategyOfUpdate(present, input.body)),
  }),
  route({
    method: 'patch',
    path: `${base}/strategies/:strategyId`,
    summary: 'Change a strategy with a JSON Patch.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: strategyPath,
    body: patchBody,
    answer: 200,
    response: wireStrategy,
    handle: (services, input) => changeOne(services, input, (present) => strategyOfPatch(present, input.body)),
  }),
  route({
    method: 'delete',
    path: `${base}/strategies/:strategyId`,
    summary: 'Remove a strategy; without one that is not disabled the flag is switched off there.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'DELETE_FEATURE_STRATEGY'),
    params: strategyPath,
    answer: 200,
    handle: async (services, input) => {
      await change(services, input, { edit: removeStrategy, show: showOne });
    },
  }),
];
