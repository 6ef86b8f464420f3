/** The tags of a flag. */
import { z } from 'zod';
import { addTag, changeTags, removeTag, tagsOf } from '../../domain/edit-tags.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { findFlagByName, unlessArchived } from '../find.ts';
import { toFlagByName } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { type Input, route, type Services } from '../route.ts';
import { presentTags, tagBody, tagChangeOf, tagOf, tagsBody, wireTag, wireTags } from '../wire/tag.ts';
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
  { catalog, flags, pages }: Services,
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
    refuses: ['not-found'],
    asks: toFlagByName('get', 'NONE'),
    params: flagName,
    answer: 200,
    response: wireTags,
    handle: ({ catalog }, { params }) => show(findFlagByName(catalog, params.featureName)),
  }),
  route({
    method: 'post',
    path: '/features/:featureName/tags',
    summary: 'Add a tag to a flag.',
    refuses: ['not-found', 'has-tag', 'field-managed'],
    asks: toChange,
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
    summary: 'Add tags to a flag and take others off.',
    refuses: ['not-found'],
    asks: toChange,
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
    summary: 'Take a tag off a flag.',
    refuses: ['not-found'],
    asks: toChange,
    params: tagPath,
    answer: 200,
    handle: async (services, input) => {
      await change(services, input, (flag) => removeTag(flag, tagOf(input.params)));
    },
  }),
];
