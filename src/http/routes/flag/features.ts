/** /projects/:projectId/features: the flags of a project. */

import { z } from 'zod';
import { toFlag, toNewFlag, toProject } from '../../../access/authorization/requirements.ts';
import { isMaskedFor } from '../../../access/readable/visible-history.ts';
import { checkNewName, createFlag } from '../../../actions/create-flag.ts';
import { type FlagPath, findAnyFlag, findFlag, findProject, unlessArchived } from '../../../catalog/find.ts';
import { refuseParent } from '../../../domain/flag/dependencies.ts';
import { cloneSpec } from '../../../domain/flag/edit/clone-flag.ts';
import { archive, setMetadata } from '../../../domain/flag/edit/edit-flag.ts';
import type { Metadata } from '../../../domain/flag/metadata-fields.ts';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { placeOfDefect } from '../../../domain/judgement/defects.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import {
  presentFeature,
  type WireFeature,
  wireFeature,
  wireFeatureList,
  wireFeatureWithEnvironments,
} from '../../../wire/admin/flag/feature.ts';
import {
  cloneBody,
  createBody,
  metadataOfPatch,
  metadataOfUpdate,
  updateBody,
} from '../../../wire/admin/flag/feature-input.ts';
import { namedMetadata } from '../../../wire/admin/flag/feature-metadata.ts';
import { wireFeatureStatus } from '../../../wire/admin/flag/feature-status.ts';
import { patchBody } from '../../../wire/admin/json-patch.ts';
import { ownedParam } from '../../../wire/admin/manifest.ts';
import { booleanParam, includeParam, repeated } from '../../../wire/admin/query.ts';
import { presentTimeOrNull } from '../../../wire/admin/timestamp.ts';
import { pastParams } from '../../../wire/past-query.ts';
import { manifestOf } from '../../route/manifest.ts';
import { askPast } from '../../route/past-services.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Input, type RouteServices, route } from '../../route/route.ts';
import { answerPieces } from '../../server/answer/json-pieces.ts';
import { MANIFEST_TYPE } from '../../server/answer/representation.ts';
import { projectPath } from '../projects.ts';
import { checkRemoval } from './check-removal.ts';

export const flagPath = projectPath.extend({
  featureName: z.string().meta({ description: 'The name of the flag.', examples: ['one-page-checkout'] }),
});

const listQuery = z.object({
  tag: repeated.meta({ description: 'Only flags with one of these tags, written `type:value`.' }),
  namePrefix: z.string().optional().meta({ description: 'Only flags whose names start with this text.' }),
  include: includeParam,
  ...pastParams,
});

const flagQuery = z.object({
  variantEnvironments: booleanParam.meta({ description: 'Whether the answer has the variants of each environment.' }),
  owned: ownedParam,
  ...pastParams,
});

/** Flags that have any of the tags and the prefix; undefined: every flag. */
function filterOf({ tag, namePrefix }: z.infer<typeof listQuery>): ((flag: FeatureFlag) => boolean) | undefined {
  if (tag.length === 0 && !namePrefix) return undefined;
  return (flag) =>
    (tag.length === 0 || (flag.spec.tags ?? []).some((one) => tag.includes(one))) &&
    wireNameOf(flag).startsWith(namePrefix ?? '');
}

/** The common part of PUT and PATCH; `next` returns the new metadata. */
async function changeMetadata(
  { catalog, flags, pages }: RouteServices,
  { params, dryRun, ifMatch }: Input<FlagPath, unknown, unknown>,
  next: (flag: FeatureFlag) => Partial<Metadata>,
): Promise<WireFeature> {
  const edit = (flag: FeatureFlag) => setMetadata(unlessArchived(flag).spec, next(flag));
  const { metadata } = findFlag(catalog, params);
  const changed = await flags.change(metadata, edit, { dryRun, expect: ifPresent(ifMatch, pages) });
  return presentFeature(changed, presentTimeOrNull(pages.lastSeenAt(changed)));
}

function pastOfFlag({
  params,
  query,
}: Pick<Input<FlagPath, Parameters<typeof askPast>[0], unknown>, 'params' | 'query'>) {
  return askPast(query, { of: 'names', names: [params.featureName] }, params.projectId);
}

/** The flags of a list that is made at once: the list of all is kept, and others are not. */
const MAX_AT_ONCE = 300;

const toRead = toFlag('get', 'NONE');

export const featureRoutes = [
  route({
    method: 'get',
    path: '/projects/:projectId/features',
    summary: 'List the flags of a project.',
    description: 'The list has no paging and is ordered by name. A flag matches `tag` if it has any of the tags.',
    errors: ['not-found'],
    requires: toProject('get', 'NONE'),
    params: projectPath,
    query: listQuery,
    answer: 200,
    response: wireFeatureList,
    past: ({ params: { projectId }, query }) => askPast(query, { of: 'projects', projects: [projectId] }, projectId),
    handle: async (services, { params, query, turn }) => {
      const { catalog, pages } = services;
      const view = findProject(catalog, params.projectId);
      const wanted = filterOf(query);
      const status = query.include === 'status' ? { isMasked: await isMaskedFor(services) } : undefined;
      if (!wanted && !status) return pages.flags(view);
      const shown = { wanted, status };
      const isLong = view.flags.length > MAX_AT_ONCE;
      return isLong ? answerPieces(pages.flagPieces(view, shown), turn) : pages.someFlags(view, shown);
    },
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/features',
    summary: 'Create a flag.',
    errors: ['not-found', 'name-taken', 'pattern-mismatch'],
    requires: toNewFlag('CREATE_FEATURE'),
    params: projectPath,
    body: createBody,
    answer: 201,
    response: wireFeature,
    handle: async (services, { params, body, dryRun }) => {
      const { project } = findProject(services.catalog, params.projectId);
      const spec = namedMetadata(body);
      return presentFeature(await createFlag(services, { project, wireName: body.name, spec, dryRun }));
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Read a flag with its environments and their strategies.',
    description:
      '`lastSeenAt`, `lifecycle`, `yes` and `no` are not part of the ETag: a conditional GET answers 304 when only they have changed. With `Accept: application/yaml` the answer is the manifest of the FeatureFlag for Git ([docs/ownership.md](ownership.md#the-flag-as-a-manifest)). The manifest has no status, labels or annotations. The same spec always gives the same bytes. `If-Match` of writes takes the ETag of the JSON answer, without tags and the variants of environments, or of the whole manifest.',
    errors: ['not-found'],
    requires: toRead,
    params: flagPath,
    query: flagQuery,
    answer: 200,
    response: wireFeatureWithEnvironments,
    texts: [MANIFEST_TYPE],
    omitsUnreadable: true,
    past: pastOfFlag,
    handle: (services, { params, query, wantsManifest }) => {
      const flag = findFlag(services.catalog, params);
      return wantsManifest
        ? manifestOf(services, flag, query.owned)
        : services.pages.flag(flag, query.variantEnvironments);
    },
  }),
  route({
    method: 'get',
    path: '/projects/:projectId/features/:featureName/status',
    summary:
      'Read the desired and the effective state of a flag in each environment, and the reasons. The flag may be archived.',
    description:
      'Vexil judges the flag at each request. `kubectl` shows the same in the status of the FeatureFlag, once the leader has written it.',
    errors: ['not-found'],
    requires: toRead,
    params: flagPath,
    query: z.object(pastParams),
    answer: 200,
    response: wireFeatureStatus,
    past: pastOfFlag,
    handle: async (services, { params }) =>
      services.pages.status(findAnyFlag(services.catalog, params), await isMaskedFor(services)),
  }),
  route({
    method: 'put',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Replace the metadata of a flag.',
    errors: ['not-found'],
    requires: toFlag('patch', 'UPDATE_FEATURE'),
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
    errors: ['not-found', 'operation-denied'],
    requires: toFlag('patch', 'UPDATE_FEATURE'),
    params: flagPath,
    body: patchBody,
    answer: 200,
    response: wireFeature,
    handle: (services, input) => changeMetadata(services, input, (flag) => metadataOfPatch(flag, input.body)),
  }),
  route({
    method: 'post',
    path: '/projects/:projectId/features/:featureName/clone',
    summary: 'Create a flag as a copy of another. The copy is off in all environments.',
    errors: ['not-found', 'name-taken', 'pattern-mismatch'],
    requires: toNewFlag('CREATE_FEATURE'),
    touches: 'all',
    // The copy shows the content of the source.
    alsoRequires: [toRead],
    params: flagPath,
    body: cloneBody,
    anyContentType: true,
    answer: 201,
    omitsUnreadable: true,
    response: wireFeature,
    handle: async (services, { params, body, dryRun }) => {
      const { project } = findProject(services.catalog, params.projectId);
      checkNewName(services, { project, wireName: body.name });
      const source = findFlag(services.catalog, params);
      services.notes.leaveOut(source.defects.map(placeOfDefect));
      const spec = cloneSpec(source.spec, { from: params.featureName, to: body.name }, services.newId);
      return presentFeature(await createFlag(services, { project, wireName: body.name, spec, dryRun }));
    },
  }),
  route({
    method: 'delete',
    path: '/projects/:projectId/features/:featureName',
    summary: 'Archive a flag.',
    description:
      'Answers 409 while flags that are not archived depend on the flag, because they would go off. If SDKs asked for the flag in production in the last 24 hours, the header Warning names the applications. If the project says `usedFlags: Refuse`, the answer is then 409, unless the request has `force=true`.',
    errors: ['not-found', 'in-use', 'still-asked-for'],
    requires: toFlag('patch', 'DELETE_FEATURE'),
    touches: 'all',
    params: flagPath,
    answer: 202,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const { catalog, flags, pages } = services;
      const found = findAnyFlag(catalog, params);
      await checkRemoval(services, [found]);
      const edit = (flag: FeatureFlag) => {
        refuseParent(flag, catalog.childrenOf(flag));
        return archive(flag.spec);
      };
      await flags.change(found.metadata, edit, { dryRun, expect: ifPresent(ifMatch, pages) });
    },
  }),
];
