/** The endpoints for archived flags. */

import { signedIn, toFlagByName, toProject } from '../../../access/authorization/requirements.ts';
import { readableProjects } from '../../../access/readable/readable-objects.ts';
import { findArchived, findProject, onlyArchived } from '../../../catalog/find.ts';
import { revive } from '../../../domain/flag/edit/edit-flag.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import { wireArchive } from '../../../wire/admin/flag/feature.ts';
import { ifPresent } from '../../route/precondition.ts';
import { route } from '../../route/route.ts';
import { projectPath } from '../projects.ts';
import { checkRemoval } from './check-removal.ts';
import { flagPath } from './features.ts';

const archivedPath = flagPath.pick({ featureName: true });

export const archiveRoutes = [
  route({
    method: 'get',
    path: '/archive/features',
    summary: 'List the archived flags.',
    description: '`archivedAt` is null: search the events with `type=IS:feature-archived` for the time.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireArchive,
    handle: async (services) => services.pages.archive(await readableProjects(services)),
  }),
  route({
    method: 'get',
    path: '/archive/features/:projectId',
    summary: 'List the archived flags of a project.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireArchive,
    handle: ({ catalog, pages }, { params }) => pages.archive([findProject(catalog, params.projectId)]),
  }),
  route({
    method: 'post',
    path: '/archive/revive/:featureName',
    summary: 'Revive an archived flag. It is off in all environments.',
    errors: ['not-found'],
    requires: toFlagByName('patch', 'UPDATE_FEATURE'),
    touches: 'all',
    params: archivedPath,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const { metadata } = findArchived(catalog, params.featureName);
      const expect = ifPresent(ifMatch, pages);
      await flags.change(metadata, (flag) => revive(onlyArchived(flag).spec), { dryRun, expect });
    },
  }),
  route({
    method: 'delete',
    path: '/archive/:featureName',
    summary: 'Delete an archived flag permanently.',
    description:
      'With several watched namespaces, the name stays reserved for its namespace during `VEXIL_NAME_TENURE`. For a flag that SDKs still ask for in production, the same rules apply as when a flag is archived.',
    errors: ['not-found', 'still-asked-for'],
    requires: toFlagByName('delete', 'DELETE_FEATURE'),
    touches: 'all',
    params: archivedPath,
    answer: 200,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const { catalog, flags, pages } = services;
      const matches = ifPresent(ifMatch, pages);
      const expect = (flag: FeatureFlag) => matches(onlyArchived(flag));
      const found = findArchived(catalog, params.featureName);
      await checkRemoval(services, [found]);
      await flags.delete(found, { dryRun, expect });
    },
  }),
];
