/** …/environments/:environment/strategies: the strategies of a flag in an environment. */
import { z } from 'zod';
import { type Known, toFlag, toFlags, toFlagsOfAnyProject } from '../../../access/authorization/requirements.ts';
import { findAnyFlag, findFlag, noSuchSegment } from '../../../catalog/find.ts';
import { copyConfiguration } from '../../../domain/flag/edit/copy-configuration.ts';
import type { EditPlace } from '../../../domain/flag/edit/edit-place.ts';
import { changeRamp } from '../../../domain/flag/edit/edit-ramp.ts';
import {
  addStrategy,
  changeStrategy,
  orderStrategies,
  removeStrategy,
  strategiesIn,
  strategyIn,
} from '../../../domain/flag/edit/edit-strategies.ts';
import { environmentOf, strategiesOf } from '../../../domain/flag/flag-values.ts';
import { strategyIdOf } from '../../../domain/flag/strategy-id.ts';
import { type SegmentNames, segmentIdsIn, segmentNamesFor } from '../../../domain/flag/strategy-segments.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { Refusal } from '../../../errors.ts';
import { invalid, quoteValue } from '../../../model/invalid-input.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { copyBody, presentWindow, rampBody } from '../../../wire/admin/flag/rollout.ts';
import {
  exampleStrategy,
  presentStrategy,
  type WireStrategy,
  wireFeatureEnvironment,
  wireStrategy,
} from '../../../wire/admin/flag/strategy.ts';
import {
  orderBody,
  type Present,
  type StrategySegmentsBody,
  strategyBody,
  strategyOfCreate,
  strategyOfPatch,
  strategyOfUpdate,
  strategySegmentsBody,
  strategyUpdateBody,
  wireStrategySegments,
} from '../../../wire/admin/flag/strategy-input.ts';
import { type PatchOperation, patchBody } from '../../../wire/admin/json-patch.ts';
import { mapApiServerErrors } from '../../route/map-api-server-errors.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Input, type RouteServices, route } from '../../route/route.ts';
import { environmentPath } from './switches.ts';

const base = '/projects/:projectId/features/:featureName/environments/:environment';
const strategyPath = environmentPath.extend({
  strategyId: z.string().meta({ description: 'The id of the strategy.', examples: [exampleStrategy.id] }),
});

type EnvironmentPath = z.infer<typeof environmentPath>;
type StrategyPath = z.infer<typeof strategyPath>;

/** The place that a path names, for edits and for presentation. */
function at<P extends EnvironmentPath>({ catalog }: RouteServices, params: P, flag: FeatureFlag) {
  const place = { ...params, flagContext: catalog.flagContextOf(flag) };
  const wirePlace = { flag: wireNameOf(flag), environment: params.environment };
  return { place, wirePlace, segmentIds: segmentIdsIn(place.flagContext.segments) };
}

function segmentsOf({ catalog, home }: RouteServices, flag: FeatureFlag): SegmentNames {
  return segmentNamesFor(flag, { segment: catalog.segment, home, notFound: noSuchSegment });
}

function showAll(services: RouteServices, params: EnvironmentPath, flag: FeatureFlag): WireStrategy[] {
  const { place, wirePlace, segmentIds } = at(services, params, flag);
  return strategiesIn(flag, place).map((keyed) => presentStrategy(wirePlace, keyed, segmentIds));
}

function readOne(services: RouteServices, params: StrategyPath, flag: FeatureFlag): Present {
  const { place, wirePlace, segmentIds } = at(services, params, flag);
  const keyed = strategyIn(flag, place);
  return { strategy: keyed.strategy, shown: presentStrategy(wirePlace, keyed, segmentIds) };
}

function showOne(services: RouteServices, params: StrategyPath, flag: FeatureFlag): WireStrategy {
  return readOne(services, params, flag).shown;
}

function showEnvironment(services: RouteServices, params: EnvironmentPath, flag: FeatureFlag) {
  const { environment } = params;
  const strategies = showAll(services, params, flag);
  const enabled = services.catalog.effectOf(flag).enabledIn.has(environment);
  const window = presentWindow(environmentOf(flag.spec, environment));
  return { name: wireNameOf(flag), environment, enabled, ...window, strategies };
}

/** What a copy changes in addition to strategies that exist in both environments. */
const partsOfCopy = [
  'CREATE_FEATURE_STRATEGY',
  'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT',
  'UPDATE_FEATURE_ENVIRONMENT_VARIANTS',
] as const;

interface Write<P> {
  readonly edit: (flag: FeatureFlag, place: P & EditPlace) => FlagSpec;
  /** The answer of GET for the written part, for If-Match. */
  readonly show: (services: RouteServices, params: P, flag: FeatureFlag) => unknown;
  /** The wanted strategy; absent: the body. */
  readonly wanted?: () => unknown;
}

async function change<P extends EnvironmentPath>(
  services: RouteServices,
  { params, body, dryRun, ifMatch }: Input<P, unknown, unknown>,
  { edit, show, wanted = () => body }: Write<P>,
): Promise<FeatureFlag> {
  const { catalog, flags, pages } = services;
  const expect = ifPresent(ifMatch, pages, (flag) => show(services, params, flag));
  const { metadata } = findAnyFlag(catalog, params);
  const write = flags.change(metadata, (flag) => edit(flag, at(services, params, flag).place), { dryRun, expect });
  return mapApiServerErrors({ at: ['environments', params.environment, 'strategies', undefined], wanted }, write);
}

/** The common part of PUT and PATCH; `next` returns the new strategy. */
async function changeOne(
  services: RouteServices,
  input: Input<StrategyPath, unknown, unknown>,
  next: (present: Present, segmentNames: SegmentNames) => Strategy,
): Promise<WireStrategy> {
  const { params } = input;
  const wanted = (flag: FeatureFlag) => next(readOne(services, params, flag), segmentsOf(services, flag));
  const flag = await change(services, input, {
    edit: (version, place) => changeStrategy(version, place, wanted(version)),
    show: showOne,
    wanted: () => wanted(findAnyFlag(services.catalog, params)),
  });
  return showOne(services, params, flag);
}

/** The flags of the project that have the strategy; it is one flag, unless an import gave several the same id. */
function flagsWith({ catalog }: Known, { projectId, strategyId, environmentId: environment }: StrategySegmentsBody) {
  const flags = catalog.view(projectId)?.flags ?? [];
  return flags.filter((one) =>
    strategiesOf(environmentOf(one.spec, environment)).some(
      ({ key }) => strategyIdOf({ flag: wireNameOf(one), environment, key }) === strategyId,
    ),
  );
}

function flagWith(services: RouteServices, body: StrategySegmentsBody): FeatureFlag {
  const { projectId, strategyId, environmentId } = body;
  const [found, ...others] = flagsWith(services, body);
  if (!found) {
    const place = `the environment "${environmentId}" of the project "${projectId}"`;
    throw new Refusal('not-found', `No flag has a strategy with the id "${strategyId}" in ${place}.`);
  }
  if (others.length === 0) return found;
  const complaint = 'is the id of strategies of several flags: change the strategy with its flag in the path.';
  throw invalid([{ part: 'body', keys: ['strategyId'], complaint, value: quoteValue(strategyId) }]);
}

const [ofOne, ofAll] = [toFlag('patch', 'UPDATE_FEATURE_STRATEGY'), toFlags('patch', 'UPDATE_FEATURE_STRATEGY')];

export const strategyRoutes = [
  route({
    method: 'get',
    path: base,
    summary: 'Read the state of a flag in an environment.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: wireFeatureEnvironment,
    handle: (services, { params }) => showEnvironment(services, params, findFlag(services.catalog, params)),
  }),
  route({
    method: 'post',
    path: `${base}/copy`,
    summary: 'Copy the configuration of a flag from another environment to this one.',
    description:
      'The request replaces the strategies, the variants and the window. It does not change the switch, but a flag without an enabled strategy goes off. Ramps are copied without their start and wait for it. `If-Match` takes the ETag of the flag in the environment or of the flag.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    alsoRequires: partsOfCopy.map((permission) => toFlag('patch', permission)),
    params: environmentPath,
    body: copyBody,
    answer: 200,
    response: wireFeatureEnvironment,
    handle: async (services, input) => {
      const edit = (flag: FeatureFlag, place: EditPlace) => copyConfiguration(flag, place, input.body.from);
      return showEnvironment(services, input.params, await change(services, input, { edit, show: showEnvironment }));
    },
  }),
  route({
    method: 'get',
    path: `${base}/strategies`,
    summary: 'List the strategies of a flag in an environment.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: z.array(wireStrategy),
    handle: (services, { params }) => showAll(services, params, findFlag(services.catalog, params)),
  }),
  route({
    method: 'post',
    path: `${base}/strategies`,
    summary: 'Add a strategy to a flag in an environment.',
    description:
      '`If-Match` takes the ETag of the list of strategies or of the flag. `segments` are ids of segments: an unknown id answers 404, and the id of a segment of another project answers 400. Numbers beyond 2^53 in `parameters` are rounded: send them as text. `rollout` is a whole number.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'CREATE_FEATURE_STRATEGY'),
    params: environmentPath,
    body: strategyBody,
    answer: 200,
    response: wireStrategy,
    handle: async (services, input) => {
      const key = services.newId();
      const edit = (flag: FeatureFlag, place: EditPlace) =>
        addStrategy(flag, place, { key, strategy: strategyOfCreate(input.body, segmentsOf(services, flag)) });
      const flag = await change(services, input, { edit, show: showAll });
      return showOne(services, { ...input.params, strategyId: key }, flag);
    },
  }),
  route({
    method: 'post',
    path: `${base}/strategies/set-sort-order`,
    summary: 'Put the strategies of a flag in an environment in order.',
    description: '`If-Match` takes the ETag of the list of strategies or of the flag.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
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
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: strategyPath,
    answer: 200,
    response: wireStrategy,
    handle: (services, { params }) => showOne(services, params, findFlag(services.catalog, params)),
  }),
  route({
    method: 'put',
    path: `${base}/strategies/:strategyId`,
    summary: 'Overwrite a strategy.',
    description:
      '`If-Match` takes the ETag of the strategy or of the flag. Segments that are left out stay. The ETag of a strategy does not cover the rest of the flag. Numbers beyond 2^53 in `parameters` are rounded: send them as text. `rollout` is a whole number.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: strategyPath,
    body: strategyUpdateBody,
    answer: 200,
    response: wireStrategy,
    handle: (services, input) =>
      changeOne(services, input, (present, segments) => strategyOfUpdate(present, input.body, segments)),
  }),
  route({
    method: 'patch',
    path: `${base}/strategies/:strategyId`,
    summary: 'Change a strategy with a JSON Patch.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: strategyPath,
    body: patchBody,
    answer: 200,
    response: wireStrategy,
    handle: (services, input) =>
      changeOne(services, input, (present, segments) => strategyOfPatch(present, input.body, segments)),
  }),
  route({
    method: 'delete',
    path: `${base}/strategies/:strategyId`,
    summary: 'Remove a strategy. If no enabled strategy is left, the flag is switched off in the environment.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'DELETE_FEATURE_STRATEGY'),
    params: strategyPath,
    answer: 200,
    handle: async (services, input) => {
      await change(services, input, { edit: removeStrategy, show: showOne });
    },
  }),
  route({
    method: 'post',
    path: `${base}/strategies/:strategyId/ramp`,
    summary: 'Start, pause, resume, skip or abort the ramp of a strategy.',
    description:
      'The request changes only `startAt` and `pausedAt` of the ramp. `abort` also disables the strategy. `If-Match` takes the ETag of the strategy or of the flag.',
    errors: ['not-found', 'archived', 'invalid-operation'],
    requires: toFlag('patch', 'UPDATE_FEATURE_STRATEGY'),
    params: strategyPath,
    body: rampBody,
    answer: 200,
    handle: async (services, input) => {
      const now = services.catalog.now();
      const edit = (flag: FeatureFlag, place: StrategyPath & EditPlace) =>
        changeRamp(flag, place, { ...input.body, now });
      await change(services, input, { edit, show: showOne });
    },
  }),
  route({
    method: 'post',
    path: '/segments/strategies',
    summary: 'Set the segments of a strategy.',
    description:
      'The same change as `PATCH` of `segments` of the strategy. An unknown id of a segment answers 404, and the id of a segment of another project answers 400.',
    errors: ['not-found', 'archived', 'field-managed'],
    requires: toFlagsOfAnyProject('patch', 'UPDATE_FEATURE_STRATEGY'),
    requiresFromBody: (known, { body }) => {
      const { projectId, environmentId: environment } = body;
      const found = flagsWith(known, body).map(wireNameOf);
      if (found.length === 0) return [ofAll.of(known, { projectId, environment })];
      return found.map((featureName) => ofOne.of(known, { projectId, featureName, environment }));
    },
    body: strategySegmentsBody,
    answer: 201,
    creates: false,
    response: wireStrategySegments,
    handle: async (services, input) => {
      const { projectId, strategyId, environmentId: environment, segmentIds } = input.body;
      const params = { projectId, featureName: wireNameOf(flagWith(services, input.body)), environment, strategyId };
      const segments: PatchOperation = { op: 'replace', path: '/segments', value: segmentIds };
      await changeOne(services, { ...input, params }, (present, names) => strategyOfPatch(present, [segments], names));
      return input.body;
    },
  }),
];
