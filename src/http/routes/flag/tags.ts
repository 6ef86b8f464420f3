/** The tags of a flag. */
import { z } from 'zod';
import { toFlagByName } from '../../../access/authorization/requirements.ts';
import { findFlagByName, unlessArchived } from '../../../catalog/find.ts';
import { addTag, changeTags, removeTag, tagsOf } from '../../../domain/flag/edit/edit-tags.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { presentTags, tagBody, tagChangeOf, tagOf, tagsBody, wireTag, wireTags } from '../../../wire/admin/flag/tag.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Input, type RouteServices, route } from '../../route/route.ts';
import { flagPath } from './features.ts';

const flagName = flagPath.pick({ featureName: true });
const tagPath = flagName.extend({
  type: z.string().meta({ description: 'The type of the tag.', examples: ['simple'] }),
  value: z.string().meta({ description: 'The value of the tag.', examples: ['checkout'] }),
});

const toChange = toFlagByName('patch', 'UPDATE_FEATURE');

function show(flag: FeatureFlag) {
  return presentTags(tagsOf(flag));
}

function change(
  { catalog, flags, pages }: RouteServices,
  { params, dryRun, ifMatch }: Input<z.infer<typeof flagName>, unknown, unknown>,
  edit: (flag: FeatureFlag) => FlagSpec,
): Promise<FeatureFlag> {
  const { metadata } = findFlagByName(catalog, params.featureName);
  const expect = ifPresent(ifMatch, pages, show);
  return flags.change(metadata, (flag) => edit(unlessArchived(flag)), { dryRun, expect });
}

export const tagRoutes = [
  route({
    method: 'get',
    path: '/features/:featureName/tags',
    summary: 'List the tags of a flag.',
    errors: ['not-found'],
    requires: toFlagByName('get', 'NONE'),
    params: flagName,
    answer: 200,
    response: wireTags,
    handle: ({ catalog }, { params }) => show(findFlagByName(catalog, params.featureName)),
  }),
  route({
    method: 'post',
    path: '/features/:featureName/tags',
    summary: 'Add a tag to a flag.',
    description: 'The flag must not be archived. `If-Match` is ignored.',
    errors: ['not-found', 'has-tag', 'field-managed'],
    requires: toChange,
    params: flagName,
    body: tagBody,
    answer: 201,
    response: wireTag,
    handle: async (services, input) => {
      const { type, value } = input.body;
      await change(services, { ...input, ifMatch: undefined }, (flag) => addTag(flag, tagOf(input.body)));
      return { type, value };
    },
  }),
  route({
    method: 'put',
    path: '/features/:featureName/tags',
    summary: 'Add tags to a flag and remove others.',
    description: 'The flag must not be archived.',
    errors: ['not-found'],
    requires: toChange,
    params: flagName,
    body: tagsBody,
    answer: 200,
    response: wireTags,
    handle: async (services, input) => {
      const wanted = tagChangeOf(input.body);
      return show(await change(services, input, (flag) => changeTags(flag, wanted)));
    },
  }),
  route({
    method: 'delete',
    path: '/features/:featureName/tags/:type/:value',
    summary: 'Remove a tag from a flag.',
    description:
      'The flag must not be archived. A path cannot hold the values `.` and `..`: use `PUT` to remove such a tag.',
    errors: ['not-found'],
    requires: toChange,
    params: tagPath,
    answer: 200,
    handle: async (services, input) => {
      await change(services, input, (flag) => removeTag(flag, tagOf(input.params)));
    },
  }),
];
