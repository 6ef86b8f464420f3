/** Endpoints 2 to 8: the flags of a project. */
import { z } from 'zod';
import { cloneSpec } from '../../domain/clone-flag.ts';
import { archive, type Metadata, setMetadata } from '../../domain/edit-flag.ts';
import { placeOfDefect } from '../../domain/edit-place.ts';
import { wireNameOf } from '../../domain/names.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { checkNewName, createFlag } from '../create-flag.ts';
import { type FlagPath, findAnyFlag, findFlag, findProject, unlessArchived } from '../find.ts';
import { toFlag, toNewFlag, toProject } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { type Input, route, type Services } from '../route.ts';
import {
  presentFeature,
  type WireFeature,
  wireFeature,
  wireFeatureList,
  wireFeatureWithEnvironments,
} from '../wire/feature.ts';
import {
  cloneBody,
  createBody,
  metadataOfPatch,
  metadataOfUpdate,
  specOfCreate,
  updateBody,
} from '../wire/feature-input.ts';
import { patchBody } from '../wire/json-patch.ts';
import { flag as flagSwitch, repeated } from '../wire/query.ts';
import { projectPath } from './projects.ts';

export const flagPath = projectPath.extend({
  featureName: z.string().meta({ description: 'The name of the flag.', examples: ['one-page-checkout'] }),
});

const listQuery = z.object({
  tag: repeated.meta({ description: 'Only flags with one of these tags, written `type:value`.' }),
  namePrefix: z.string().optional().meta({ description: 'Only flags whose names begin like this.' }),
});

const flagQuery = z.object({
  variantEnvironments: flagSwitch.meta({ description: 'true: with the variants of each environment.' }),
});

/** Any of the tags, and the prefix; undefined: every flag. */
function filterOf({ tag, namePrefix }: z.infer<typeof listQuery>): ((flag: FeatureFlag) => boolean) | undefined {
  if (tag.length === 0 && !namePrefix) return undefined;
  return (flag) =>
    (tag.length === 0 || (flag.spec.tags ?? []).some((one) => tag.includes(one))) &&
    wireNameOf(flag).startsWith(namePrefix ?? '');
}

/** What PUT and PATCH share: they differ in how the new metadata is told. */
async function changeMetadata(
  { catalog, flags, pages }: Services,
  { params, dryRun, ifMatch }: Input<FlagPath, unknown, unknown>,
  next: (flag: FeatureFlag) => Metadata,
): Promise<WireFeature> {
  const edit = (flag: FeatureFlag) => setMetadata(unlessArchived(flag).spec, next(flag));
  const { metadata } = findFlag(catalog, params);
  return presentFeature(await flags.change(metadata, edit, { dryRun, expect: ifPresent(ifMatch, pages) }));
}

const toRead = toFlag('get', 'NONE');

export const featureRoutes = [
  route({
    method: 'get',
    path: '/projects/:projectId/features',
    summary: 'List the flags of a project.',
    refuses: ['not-found'],
    asks: toProject('get', 'NONE'),
    params: projectPath,
    query: listQuery,
    answer: 200,
    response: wireFeatureList,
    handle: ({ catalog, pages }, { params, query }) =>
      pages.flags(findProject(catalog, params.projectId), filterOf(query)),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/features',
    summary: 'Create a flag.',
    refuses: ['not-found', 'name-taken', 'pattern-mismatch'],
    asks: toNewFlag('CREATE_FEATURE'),
    params: projectPath,
    body: createBody,
    answer: 201,
    response: wireFeature,
    handle: async (services, { params, body, dryRun }) => {
      const { project } = findProject(services.catalog, params.projectId);
      const spec = specOfCreate(body);
      return presentFeature(await createFlag(services, { project, wireName: body.name, spec, dryRun }));
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Read a flag with its environments and their strategies.',
    refuses: ['not-found'],
    asks: toRead,
    params: flagPath,
    query: flagQuery,
    answer: 200,
    response: wireFeatureWithEnvironments,
    handle: ({ catalog, pages }, { params, query }) => pages.flag(findFlag(catalog, params), query.variantEnvironments),
  }),
  route({
    method: 'put',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Replace the metadata of a flag.',
    refuses: ['not-found'],
    asks: toFlag('patch', 'UPDATE_FEATURE'),
    params: flagPath,
    body: updateBody,
    answer: 200,
    response: wireFeature,
    handle: (services, input) => changeMetadata(services, input, (flag) => metadataOfUpdate(flag, input.body)),
  }),
  route({
    method: 'patch',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Change the metadata of a flag with a JSON Patch.',
    refuses: ['not-found', 'operation-denied'],
    asks: toFlag('patch', 'UPDATE_FEATURE'),
    params: flagPath,
    body: patchBody,
    answer: 200,
    response: wireFeature,
    handle: (services, input) => changeMetadata(services, input, (flag) => metadataOfPatch(flag, input.body)),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/features/:featureName/clone',
    summary: 'Create a flag as a copy of another; it is off everywhere.',
    refuses: ['not-found', 'name-taken', 'pattern-mismatch'],
    asks: toNewFlag('CREATE_FEATURE'),
    // The copy shows what the source holds.
    alsoAsks: (known, { params }) => [toRead.of(known, params)],
    params: flagPath,
    body: cloneBody,
    anyContentType: true,
    answer: 201,
    leavesOut: true,
    response: wireFeature,
    handle: async (services, { params, body, dryRun }) => {
      const { project } = findProject(services.catalog, params.projectId);
      checkNewName(services, { project, wireName: body.name });
      const source = findFlag(services.catalog, params);
      services.leaveOut(source.defects.map(placeOfDefect));
      const spec = cloneSpec(source.spec, { from: params.featureName, to: body.name }, services.newId);
      return presentFeature(await createFlag(services, { project, wireName: body.name, spec, dryRun }));
    },
  }),
  route({
    method: 'delete',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Archive a flag.',
    refuses: ['not-found'],
    asks: toFlag('patch', 'DELETE_FEATURE'),
    params: flagPath,
    answer: 202,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const { metadata } = findAnyFlag(catalog, params);
      await flags.change(metadata, ({ spec }) => archive(spec), { dryRun, expect: ifPresent(ifMatch, pages) });
    },
  }),
];
