/** …/variants and …/variants-batch: the variants of a flag, for all environments and for one. */
import type { z } from 'zod';
import { toFlag, toFlagInSome } from '../../../access/authorization/requirements.ts';
import { type FlagPath, findAnyFlag, findFlag } from '../../../catalog/find.ts';
import { refuseArchived, refuseElsewhere } from '../../../domain/flag/edit/edit-place.ts';
import { isSameList, setVariants, setVariantsIn } from '../../../domain/flag/edit/edit-variants.ts';
import { variantsIn } from '../../../domain/flag/flag-values.ts';
import { everyVariant, type WeightedVariant, weigh } from '../../../domain/flag/variants.ts';
import { isClusterError } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import type { Variant } from '../../../schema/variant.ts';
import { presentVariants, type WireVariants, wireVariants } from '../../../wire/admin/flag/variant.ts';
import {
  describeBrokenRules,
  environmentVariantsBody,
  type VariantsBody,
  variantsBatchBody,
  variantsBody,
  variantsOfPatch,
} from '../../../wire/admin/flag/variant-input.ts';
import { type PatchOperation, patchBody } from '../../../wire/admin/json-patch.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Input, type RouteServices, route } from '../../route/route.ts';
import { flagPath } from './features.ts';
import { environmentPath } from './switches.ts';

const base = '/projects/:projectId/features/:featureName';
const environmentBase = `${base}/environments/:environment`;

/** The variants of a flag that a request addresses. */
interface VariantScope {
  /** Refuses a flag that has no such variants to read or write. */
  readonly check: (flag: FeatureFlag) => void;
  readonly shown: (flag: FeatureFlag) => readonly WeightedVariant[];
  readonly set: (spec: FlagSpec, wanted: readonly Variant[]) => FlagSpec;
  readonly body: z.ZodType<Variant[]>;
}

/**
 * The answer, and so the base of a patch, is the list of the flag followed by variants that only an environment has, so
 * that a write removes no variant that the caller has not seen. A write makes the result the one list of every
 * environment.
 */
const everywhere: VariantScope = { check: refuseArchived, shown: everyVariant, set: setVariants, body: variantsBody };

/** Shows the list of the first environment; after a write all of them have the same list. */
function inEnvironments({ catalog }: RouteServices, environments: readonly string[]): VariantScope {
  return {
    check: (flag) => {
      const flagContext = catalog.flagContextOf(flag);
      for (const environment of environments) refuseElsewhere(flag, { environment, flagContext });
    },
    shown: (flag) => weigh(variantsIn(flag, environments[0] ?? '')),
    set: (spec, wanted) => setVariantsIn(spec, environments, wanted),
    body: environmentVariantsBody,
  };
}

function read({ catalog }: RouteServices, path: FlagPath, scope: VariantScope): WireVariants {
  const flag = findFlag(catalog, path);
  scope.check(flag);
  return presentVariants(scope.shown(flag));
}

interface Write {
  readonly scope: VariantScope;
  /** The wanted list instead of the shown one; undefined if nothing changes. */
  readonly next: (shown: readonly WeightedVariant[]) => readonly Variant[] | undefined;
  /** The body that contains the list, for paths in messages. */
  readonly bodyWith: (list: readonly Variant[]) => VariantsBody;
}

async function write(
  { catalog, flags, pages }: RouteServices,
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
    if (wanted && isClusterError(error) && error.answer) describeBrokenRules(bodyWith(wanted));
    throw error;
  }
}

function replace(
  services: RouteServices,
  input: Input<FlagPath, unknown, Variant[]>,
  scope: VariantScope,
): Promise<WireVariants> {
  return write(services, input, { scope, next: () => input.body, bodyWith: (list) => list });
}

function patch(
  services: RouteServices,
  input: Input<FlagPath, unknown, PatchOperation[]>,
  scope: VariantScope,
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
    description:
      'The answer lists the variants of the flag, then the variants that only an environment has. If environments have lists of their own, the weights may add up to more than 1000.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: flagPath,
    answer: 200,
    response: wireVariants,
    handle: (services, { params }) => read(services, params, everywhere),
  }),
  route({
    method: 'put',
    path: `${base}/variants`,
    summary: 'Replace the variants of a flag in all environments.',
    description:
      'The request also removes the lists that environments have of their own. A payload of type `json` must be valid JSON, and one of type `number` a number.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_VARIANTS'),
    touches: 'all',
    params: flagPath,
    body: variantsBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => replace(services, input, everywhere),
  }),
  route({
    method: 'patch',
    path: `${base}/variants`,
    summary: 'Change the variants of a flag in all environments with a JSON Patch.',
    description:
      'The patch applies to the answer of `GET`. If the patch changes anything, the result becomes the only list, for all environments, in the order of the answer. Unleash patches the list of each environment separately. A payload of type `json` must be valid JSON, and one of type `number` a number.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_VARIANTS'),
    touches: 'all',
    params: flagPath,
    body: patchBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => patch(services, input, everywhere),
  }),
  route({
    method: 'put',
    path: `${base}/variants-batch`,
    summary: 'Replace the variants of a flag in some environments.',
    description:
      'Each environment gets a list of its own, of at most 80 variants, even if the list equals the list of the flag. `PUT` and `PATCH …/variants` of the flag remove the lists of all environments again. A payload of type `json` must be valid JSON, and one of type `number` a number.',
    errors: ['not-found', 'archived'],
    requires: toFlagInSome('patch', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS'),
    touches: 'named',
    requiresFromBody: (known, { params, body }) =>
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
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: environmentPath,
    answer: 200,
    response: wireVariants,
    handle: (services, { params }) => read(services, params, inEnvironments(services, [params.environment])),
  }),
  route({
    method: 'put',
    path: `${environmentBase}/variants`,
    summary: 'Replace the variants of a flag in an environment.',
    description:
      'The environment gets a list of its own, of at most 80 variants, even if the list equals the list of the flag. `PUT` and `PATCH …/variants` of the flag remove the lists of all environments again. A payload of type `json` must be valid JSON, and one of type `number` a number.',
    errors: ['not-found', 'archived'],
    requires: inEnvironment,
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
    description:
      'If the patch changes anything, the environment gets a list of its own, of at most 80 variants. `PUT` and `PATCH …/variants` of the flag remove the lists of all environments again. A payload of type `json` must be valid JSON, and one of type `number` a number.',
    errors: ['not-found', 'archived'],
    requires: inEnvironment,
    params: environmentPath,
    body: patchBody,
    answer: 200,
    response: wireVariants,
    handle: (services, input) => patch(services, input, inEnvironments(services, [input.params.environment])),
  }),
];
