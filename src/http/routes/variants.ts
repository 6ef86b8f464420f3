/** Endpoints 15 and 16 with their neighbours: the variants of a flag, for all environments and for one. */
import type { z } from 'zod';
import { refuseArchived, refuseElsewhere } from '../../domain/edit-place.ts';
import { isSameList, setVariants, setVariantsIn } from '../../domain/edit-variants.ts';
import { variantsIn } from '../../domain/flag-values.ts';
import { everyVariant, type WeightedVariant, weigh } from '../../domain/variants.ts';
import { refusalOf } from '../../kube/errors.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Variant } from '../../schema/variant.ts';
import { type FlagPath, findAnyFlag, findFlag } from '../find.ts';
import { toFlag, toFlagInSome } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { type Input, route, type Services } from '../route.ts';
import { type PatchOperation, patchBody } from '../wire/json-patch.ts';
import { presentVariants, type WireVariants, wireVariants } from '../wire/variant.ts';
import {
  environmentVariantsBody,
  tellBrokenRules,
  type VariantsBody,
  variantsBatchBody,
  variantsBody,
  variantsOfPatch,
} from '../wire/variant-input.ts';
import { flagPath } from './features.ts';
import { environmentPath } from './switches.ts';

const base = '/projects/:projectId/features/:featureName';
const environmentBase = `${base}/environments/:environment`;

/** The variants of a flag that a call is about. */
interface Scope {
  /** Refuses a flag that has no such variants to read or write. */
  readonly check: (flag: FeatureFlag) => void;
  readonly shown: (flag: FeatureFlag) => readonly WeightedVariant[];
  readonly set: (spec: FlagSpec, wanted: readonly Variant[]) => FlagSpec;
  readonly body: z.ZodType<Variant[]>;
}

/**
 * What is shown, and so what a patch starts from, is the list of the flag and behind it what only an environment has:
 * nothing that holds somewhere is lost without having been seen. Writing makes it the one list of every environment.
 */
const everywhere: Scope = { check: refuseArchived, shown: everyVariant, set: setVariants, body: variantsBody };

/** All of them show what the first one does, once they have been written. */
function inEnvironments({ catalog }: Services, environments: readonly string[]): Scope {
  return {
    check: (flag) => {
      const surroundings = catalog.surroundingsOf(flag);
      for (const environment of environments) refuseElsewhere(flag, { environment, surroundings });
    },
    shown: (flag) => weigh(variantsIn(flag, environments[0] ?? '')),
    set: (spec, wanted) => setVariantsIn(spec, environments, wanted),
    body: environmentVariantsBody,
  };
}

function read({ catalog }: Services, path: FlagPath, scope: Scope): WireVariants {
  const flag = findFlag(catalog, path);
  scope.check(flag);
  return presentVariants(scope.shown(flag));
}

interface Write {
  readonly scope: Scope;
  /** The list that is wanted in place of what is shown; undefined: it is good as it is. */
  readonly next: (shown: readonly WeightedVariant[]) => readonly Variant[] | undefined;
  /** The body in which that list would stand, for messages. */
  readonly bodyWith: (list: readonly Variant[]) => VariantsBody;
}

async function write(
  { catalog, flags, pages }: Services,
  { params, dryRun, ifMatch }: Input<FlagPath, unknown, unknown>,
  { scope, next, bodyWith }: Write,
): Promise<WireVariants> {
  const show = (flag: FeatureFlag) => presentVariants(scope.shown(flag));
  let wanted: readonly Variant[] | undefined;
  const edit = (flag: FeatureFlag) => {
    scope.check(flag);
    wanted = next(scope.shown(flag));
    return wanted ? scope.set(flag.spec, wanted) : flag.spec;
  };
  const { metadata } = findAnyFlag(catalog, params);
  try {
    return show(await flags.change(metadata, edit, { dryRun, expect: ifPresent(ifMatch, pages, show) }));
  } catch (error) {
    if (wanted && refusalOf(error)) tellBrokenRules(bodyWith(wanted));
    throw error;
  }
}

function replace(services: Services, input: Input<FlagPath, unknown, Variant[]>, scope: Scope): Promise<WireVariants> {
  return write(services, input, { scope, next: () => input.body, bodyWith: (list) => list });
}

function patch(
  services: Services,
  input: Input<FlagPath, unknown, PatchOperation[]>,
  scope: Scope,
): Promise<WireVariants> {
  const next = (shown: readonly WeightedVariant[]) => {
    const patched = variantsOfPatch(shown, input.body, scope.body);
    return isSameList(shown, patched) ? undefined : patched;
  };
  return write(services, input, { scope, next, bodyWith: (variants) => ({ variants }) });
}

const inEnvironment = toFlag('patch', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS');

export const variantRoutes = [
  route({
    method: 'get',
    path: `${base}/variants`,
    summary: 'Read the variants of a flag.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: flagPath,
    answer: 200,
    response: wireVariants,
    handle: (services, { params }) => read(services, params, everywhere),
  }),
  route({
    method: 'put',
    path: `${base}/variants`,
    summary: 'Replace the variants of a flag, in all environments at once.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'UPDATE_FEATURE_VARIANTS'),
    params: flagPath,
    body: variantsBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => replace(services, input, everywhere),
  }),
  route({
    method: 'patch',
    path: `${base}/variants`,
    summary: 'Change the variants of a flag with a JSON Patch, in all environments at once.',
    refuses: ['not-found', 'archived'],
    asks: toFlag('patch', 'UPDATE_FEATURE_VARIANTS'),
    params: flagPath,
    body: patchBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => patch(services, input, everywhere),
  }),
  route({
    method: 'put',
    path: `${base}/variants-batch`,
    summary: 'Replace the variants of a flag in some environments at once.',
    refuses: ['not-found', 'archived'],
    asks: toFlagInSome('patch', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'),
    alsoAsks: (known, { params, body }) =>
      [...new Set(body.environments)].map((environment) => inEnvironment.of(known, { ...params, environment })),
    params: flagPath,
    body: variantsBatchBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => {
      const { variants, environments } = input.body;
      const scope = inEnvironments(services, [...new Set(environments)]);
      return write(services, input, { scope, next: () => variants, bodyWith: (list) => ({ variants: list }) });
    },
  }),
  route({
    method: 'get',
    path: `${environmentBase}/variants`,
    summary: 'Read the variants of a flag in an environment.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: wireVariants,
    handle: (services, { params }) => read(services, params, inEnvironments(services, [params.environment])),
  }),
  route({
    method: 'put',
    path: `${environmentBase}/variants`,
    summary: 'Replace the variants of a flag in an environment.',
    refuses: ['not-found', 'archived'],
    asks: inEnvironment,
    params: environmentPath,
    body: environmentVariantsBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => replace(services, input, inEnvironments(services, [input.params.environment])),
  }),
  route({
    method: 'patch',
    path: `${environmentBase}/variants`,
    summary: 'Change the variants of a flag in an environment with a JSON Patch.',
    refuses: ['not-found', 'archived'],
    asks: inEnvironment,
    params: environmentPath,
    body: patchBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => patch(services, input, inEnvironments(services, [input.params.environment])),
  }),
];
