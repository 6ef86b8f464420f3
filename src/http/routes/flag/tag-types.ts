/** The tags that flags have, and the types of these tags. */
import { z } from 'zod';
import { signedIn } from '../../../access/authorization/requirements.ts';
import { readableProjects } from '../../../access/readable/readable-objects.ts';
import { isArchived } from '../../../domain/flag/flag-values.ts';
import { Refusal } from '../../../errors.ts';
import {
  presentTagsOf,
  presentTagTypes,
  wireOneTagType,
  wireTags,
  wireTagTypes,
} from '../../../wire/admin/flag/tag.ts';
import { type RouteServices, route } from '../../route/route.ts';

const typePath = z.object({ type: z.string().meta({ description: 'The type of the tags.', examples: ['simple'] }) });
const namePath = z.object({ name: z.string().meta({ description: 'The name of the type.', examples: ['simple'] }) });

async function readableTags(services: RouteServices) {
  const views = await readableProjects(services);
  return presentTagsOf(views.flatMap(({ flags }) => flags.filter((flag) => !isArchived(flag))));
}

export const tagTypeRoutes = [
  route({
    method: 'get',
    path: '/tags',
    summary: 'List the tags of all flags that the caller may read.',
    description: 'Each tag once, without the tags of archived flags. Writes answer 403: change the tags of a flag.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireTags,
    handle: async (services) => ({ version: 1, tags: [...(await readableTags(services))] }),
  }),
  route({
    method: 'get',
    path: '/tags/:type',
    summary: 'List the tags of one type.',
    description: 'The list is empty if no flag has a tag of the type.',
    errors: [],
    requires: signedIn,
    params: typePath,
    answer: 200,
    response: wireTags,
    handle: async (services, { params }) => ({
      version: 1,
      tags: (await readableTags(services)).filter(({ type }) => type === params.type),
    }),
  }),
  route({
    method: 'get',
    path: '/tag-types',
    summary: 'List the types of tags.',
    description: 'Types are not stored: the list has `simple` and the types of the tags in `GET /tags`.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireTagTypes,
    handle: async (services) => ({ version: 1, tagTypes: [...presentTagTypes(await readableTags(services))] }),
  }),
  route({
    method: 'get',
    path: '/tag-types/:name',
    summary: 'Read a type of tags.',
    errors: ['not-found'],
    requires: signedIn,
    params: namePath,
    answer: 200,
    response: wireOneTagType,
    handle: async (services, { params }) => {
      const tagType = presentTagTypes(await readableTags(services)).find(({ name }) => name === params.name);
      if (tagType) return { version: 1, tagType };
      throw new Refusal('not-found', `No flag has a tag of the type "${params.name}".`);
    },
  }),
];
