/** Flags whatever their project: the search, the older list, whether a name is free. */
import { z } from 'zod';
import { wireName } from '../../schema/shapes.ts';
import { checkNewName } from '../create-flag.ts';
import { findProject } from '../find.ts';
import { signedIn, toProject } from '../identity/asks.ts';
import { readableProjects } from '../identity/readable-projects.ts';
import { route } from '../route.ts';
import { wireEveryFeature, wireFeatureSearch } from '../wire/feature.ts';
import { featureSearchQuery, MOST_FOUND, searchOf } from '../wire/feature-search-query.ts';

const validateBody = z
  .object({
    name: wireName('The name of the flag.'),
    projectId: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The id of the project whose naming pattern must match, too.' }),
  })
  .meta({
    id: 'ValidateFeature',
    description: 'Unknown properties are dropped.',
    examples: [{ name: 'one-page-checkout', projectId: 'shop' }],
  });

const toRead = toProject('get', 'NONE');

export const featureSearchRoutes = [
  route({
    method: 'get',
    path: '/search/features',
    summary: `Search the flags that the caller may read, up to ${MOST_FOUND} a page.`,
    refuses: [],
    asks: signedIn,
    query: featureSearchQuery,
    answer: 200,
    response: wireFeatureSearch,
    handle: async (services, { query }) => services.pages.search(await readableProjects(services), searchOf(query)),
  }),
  route({
    method: 'get',
    path: '/features',
    summary: 'List all flags that the caller may read. Deprecated: the search answers them page by page.',
    refuses: [],
    asks: signedIn,
    answer: 200,
    response: wireEveryFeature,
    handle: async (services) => services.pages.everyFlag(await readableProjects(services)),
  }),
  route({
    method: 'post',
    path: '/features/validate',
    summary: 'Say whether a flag may be created under a name; nothing is written.',
    refuses: ['not-found', 'name-taken', 'pattern-mismatch'],
    asks: signedIn,
    // The refusal tells of the naming pattern.
    alsoAsks: (known, { body: { projectId } }) => (projectId ? [toRead.of(known, { projectId })] : []),
    body: validateBody,
    answer: 200,
    createsAnew: true,
    handle: (services, { body: { name, projectId } }) => {
      const project = projectId ? findProject(services.catalog, projectId).project : undefined;
      checkNewName(services, { project, wireName: name });
    },
  }),
];
