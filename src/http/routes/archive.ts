/** The archive of flags. */
import { revive } from '../../domain/edit-flag.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { findArchived, findProject, onlyArchived } from '../find.ts';
import { signedIn, toFlagByName, toProject } from '../identity/asks.ts';
import { readableProjects } from '../identity/readable-projects.ts';
import { ifPresent } from '../precondition.ts';
import { route } from '../route.ts';
import { wireArchive } from '../wire/feature.ts';
import { flagPath } from './features.ts';
import { projectPath } from './projects.ts';

const archivedPath = flagPath.pick({ featureName: true });

export const archiveRoutes = [
  route({
    method: 'get',
    path: '/archive/features',
    summary: 'List the archived flags.',
    refuses: [],
    asks: signedIn,
    answer: 200,
    response: wireArchive,
    handle: async (services) => services.pages.archive(await readableProjects(services)),
  }),
  route({
    method: 'get',
    path: '/archive/features/:projectId',
    summary: 'List the archived flags of a project.',
    refuses: ['not-found'],
    asks: toProject('get', 'NONE'),
    params: projectPath,
    answer: 200,
    response: wireArchive,
    handle: ({ catalog, pages }, { params }) => pages.archive([findProject(catalog, params.projectId)]),
  }),
  route({
    method: 'post',
    path: '/archive/revive/:featureName',
    summary: 'Take a flag back from the archive; it is off everywhere.',
    refuses: ['not-found'],
    asks: toFlagByName('patch', 'UPDATE_FEATURE'),
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
    summary: 'Delete an archived flag for good.',
    refuses: ['not-found'],
    asks: toFlagByName('delete', 'DELETE_FEATURE'),
    params: archivedPath,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const matches = ifPresent(ifMatch, pages);
      const expect = (flag: FeatureFlag) => matches(onlyArchived(flag));
      await flags.delete(findArchived(catalog, params.featureName), { dryRun, expect });
    },
  }),
];
