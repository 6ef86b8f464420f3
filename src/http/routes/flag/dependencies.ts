/** The dependencies of a flag on other flags of its project. */
import { z } from 'zod';
import { toFlag, toProject } from '../../../access/authorization/requirements.ts';
import { findFlag, findProject, unlessArchived } from '../../../catalog/find.ts';
import {
  dependenciesOf,
  parentStateOf,
  removeDependencies,
  removeDependency,
  setDependency,
} from '../../../domain/flag/dependencies.ts';
import { isArchived } from '../../../domain/flag/flag-values.ts';
import { everyVariantName } from '../../../domain/flag/variants.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import {
  dependencyBody,
  dependencyOf,
  wireHasDependencies,
  wireParents,
  wireParentVariants,
} from '../../../wire/admin/flag/dependency.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Input, type RouteServices, route } from '../../route/route.ts';
import { projectPath } from '../projects.ts';
import { flagPath } from './features.ts';

const parentPath = flagPath.extend({
  parent: z.string().meta({ description: 'The name of the parent.', examples: ['payments'] }),
});

const toChange = toFlag('patch', 'UPDATE_FEATURE_DEPENDENCY');
const PLACE = '/projects/:projectId/features/:featureName';

async function change(
  { catalog, flags, pages }: RouteServices,
  { params, dryRun, ifMatch }: Input<z.infer<typeof flagPath>, unknown, unknown>,
  edit: (flag: FeatureFlag) => FlagSpec,
): Promise<void> {
  const { metadata } = findFlag(catalog, params);
  await flags.change(metadata, (flag) => edit(unlessArchived(flag)), { dryRun, expect: ifPresent(ifMatch, pages) });
}

export const dependencyRoutes = [
  route({
    method: 'get',
    path: `${PLACE}/parents`,
    summary: 'List the flags that a flag can depend on.',
    description: 'Flags of the same project that have no dependencies and are not archived, by name.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: flagPath,
    answer: 200,
    response: wireParents,
    handle: ({ catalog }, { params }) => {
      const { flags } = findProject(catalog, params.projectId);
      const flag = findFlag(catalog, params);
      const parents = flags.filter((one) => !isArchived(one) && dependenciesOf(one).length === 0);
      return parents.map(wireNameOf).filter((name) => name !== wireNameOf(flag));
    },
  }),
  route({
    method: 'get',
    path: `${PLACE}/parent-variants`,
    summary: 'List the variants that a dependency on the flag can ask for.',
    description: 'The variants of the flag, of its environments and of its strategies, by name.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: flagPath,
    answer: 200,
    response: wireParentVariants,
    handle: ({ catalog }, { params }) => everyVariantName(findFlag(catalog, params)),
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/dependencies',
    summary: 'Read whether any flag of a project depends on another.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireHasDependencies,
    handle: ({ catalog }, { params }) =>
      findProject(catalog, params.projectId).flags.some((one) => !isArchived(one) && dependenciesOf(one).length > 0),
  }),
  route({
    method: 'post',
    path: `${PLACE}/dependencies`,
    summary: 'Make a flag depend on another, or change how.',
    description:
      'A parent is a flag of the same project that has no dependencies itself. Answers 403 for a parent that does not exist or is archived, and for a chain.',
    errors: ['not-found', 'invalid-operation'],
    requires: toChange,
    touches: 'all',
    params: flagPath,
    body: dependencyBody,
    answer: 200,
    handle: async (services, input) => {
      const { catalog } = services;
      const wanted = dependencyOf(input.body);
      await change(services, input, (flag) => {
        const parent = catalog.flagInProjectOf(flag, wanted.feature);
        const family = { children: catalog.childrenOf(flag), parent: parent && parentStateOf(parent) };
        return setDependency(flag, wanted, family);
      });
    },
  }),
  route({
    method: 'delete',
    path: `${PLACE}/dependencies/:parent`,
    summary: 'Remove the dependency of a flag on another.',
    errors: ['not-found'],
    requires: toChange,
    touches: 'all',
    params: parentPath,
    answer: 200,
    handle: (services, input) => change(services, input, (flag) => removeDependency(flag, input.params.parent)),
  }),
  route({
    method: 'delete',
    path: `${PLACE}/dependencies`,
    summary: 'Remove all dependencies of a flag.',
    errors: ['not-found'],
    requires: toChange,
    touches: 'all',
    params: flagPath,
    answer: 200,
    handle: (services, input) => change(services, input, removeDependencies),
  }),
];
