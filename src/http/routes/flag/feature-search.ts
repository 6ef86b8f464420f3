/** Flags of all projects: the search, the older list, the check of a new name. */

import { z } from 'zod';
import { signedIn, toProject, toProjectOfBody } from '../../../access/authorization/requirements.ts';
import { readableProjects } from '../../../access/readable/readable-objects.ts';
import { isMaskedFor } from '../../../access/readable/visible-history.ts';
import { checkNewName } from '../../../actions/create-flag.ts';
import { findProject } from '../../../catalog/find.ts';
import { inTurn } from '../../../runtime/turns.ts';
import { wireName } from '../../../schema/fields/shapes.ts';
import { wireEveryFeature, wireFeatureSearch } from '../../../wire/admin/flag/feature.ts';
import { featureSearchQuery, MAX_FOUND, searchOf } from '../../../wire/admin/flag/feature-search-query.ts';
import { route } from '../../route/route.ts';

const validateBody = z
  .object({
    name: wireName('The name of the flag.'),
    projectId: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The id of the project whose naming pattern must match.' }),
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
    summary: `Search the flags that the caller may read, up to ${MAX_FOUND} a page.`,
    description:
      '`query` searches names and tags, and with `descriptions=true` also descriptions. A value of a filter cannot contain a comma: use `query` to find a tag with a comma. A flag that was never seen matches no `lastSeenAt`: find it with `lifecycle=IS:initial`. `favoritesFirst` has no effect. `createdBy` and other filters of newer servers are ignored. `sortBy` refuses fields that it does not list.',
    errors: [],
    requires: signedIn,
    query: featureSearchQuery,
    answer: 200,
    response: wireFeatureSearch,
    handle: async (services, { query, turn }) => {
      const search = searchOf(query, services.now());
      const isMasked = search.withStatus && (await isMaskedFor(services));
      const views = await readableProjects(services);
      return inTurn(turn, () => services.pages.search(views, search, isMasked));
    },
  }),
  route({
    method: 'get',
    path: '/features',
    summary: 'List all flags that the caller may read. Deprecated: use the search, which has pages.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireEveryFeature,
    handle: async (services, { turn }) => {
      const views = await readableProjects(services);
      return inTurn(turn, () => services.pages.everyFlag(views));
    },
  }),
  route({
    method: 'post',
    path: '/features/validate',
    summary: 'Check whether a flag may be created with a name. Nothing is written.',
    errors: ['not-found', 'name-taken', 'pattern-mismatch'],
    requires: toProjectOfBody(toRead),
    // The refusal contains the naming pattern.
    requiresFromBody: (known, { body: { projectId } }) => (projectId ? [toRead.of(known, { projectId })] : []),
    body: validateBody,
    answer: 200,
    creates: true,
    handle: (services, { body: { name, projectId } }) => {
      const project = projectId ? findProject(services.catalog, projectId).project : undefined;
      checkNewName(services, { project, wireName: name });
    },
  }),
];
