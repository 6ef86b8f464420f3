/** Operations on several flags of a project. */
import type { z } from 'zod';
import { toFlag, toFlags, toFlagsOfBody } from '../../../access/authorization/requirements.ts';
import { type BulkOperation, runBulk } from '../../../actions/bulk.ts';
import { findFlags, findProject, onlyArchived, unlessArchived } from '../../../catalog/find.ts';
import { refuseParent } from '../../../domain/flag/dependencies.ts';
import { archive, metadataOf, revive, setMetadata } from '../../../domain/flag/edit/edit-flag.ts';
import { changeTags } from '../../../domain/flag/edit/edit-tags.ts';
import { disableIn, enableIn } from '../../../domain/flag/edit/switch.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import type { PermissionName } from '../../../schema/permission.ts';
import { bulkTagsBody, flagsBody, MAX_FLAGS, staleBody } from '../../../wire/admin/flag/bulk-input.ts';
import { tagChangeOf } from '../../../wire/admin/flag/tag.ts';
import { ifSeen } from '../../route/precondition.ts';
import { type Route, type RouteServices, route } from '../../route/route.ts';
import { environmentName } from '../environments.ts';
import { projectPath } from '../projects.ts';
import { checkRemoval } from './check-removal.ts';

interface BulkPlace {
  readonly projectId: string;
  readonly environment?: string;
}

interface Bulk<B> {
  readonly method: 'post' | 'put';
  readonly path: string;
  readonly summary: string;
  /** The error codes in addition to `not-found`. */
  readonly errors?: readonly ErrorCode[];
  readonly verb: 'patch' | 'delete';
  readonly permission: PermissionName;
  readonly touches?: 'all';
  readonly params: z.ZodType<BulkPlace>;
  readonly body: z.ZodType<B>;
  readonly answer: 200 | 202;
  readonly done: string;
  /** The operation removes flags: those that production still asks for are named in a warning, or refused. */
  readonly removes?: true;
  readonly act: (
    services: RouteServices,
    wanted: { readonly params: BulkPlace; readonly body: B },
  ) => BulkOperation['act'];
}

/** Compared once, before the first write, with every list that contains the flags. */
function ifListSeen({ catalog, pages }: RouteServices, projectId: string, ifMatch: string | undefined): void {
  const view = findProject(catalog, projectId);
  ifSeen(ifMatch, 'list of flags', () => [pages.flags(view), pages.overview(view), pages.archive([view])])(undefined);
}

const description =
  'Each flag is a separate write. Vexil first tries all writes as dry runs. If a write fails afterwards, the earlier writes stay, no other write begins, and the details list each flag. Repeat the request; for deletions, leave out the flags that are gone. If a flag is not in the project, the answer is 404 and nothing is written.';

function bulkRoute<B extends { readonly features: readonly string[] }>(bulk: Bulk<B>): Route {
  const { method, path, verb, permission, touches, params, body, answer, done } = bulk;
  const [ofOne, ofAll] = [toFlag(verb, permission), toFlags(verb, permission)];
  return route({
    method,
    path,
    summary: `${bulk.summary} Up to ${MAX_FLAGS} in one call.`,
    description,
    errors: ['not-found', ...(bulk.errors ?? [])],
    requires: toFlagsOfBody(verb, permission),
    ...(touches && { touches }),
    requiresFromBody: (known, input) => {
      const names = [...new Set(input.body.features)];
      if (names.length === 0) return [ofAll.of(known, input.params)];
      return names.map((featureName) => ofOne.of(known, { ...input.params, featureName }));
    },
    params,
    body,
    answer,
    handle: async (services, input) => {
      const { projectId } = input.params;
      const flags = findFlags(services.catalog, projectId, input.body.features);
      ifListSeen(services, projectId, input.ifMatch);
      if (bulk.removes) await checkRemoval(services, flags);
      await runBulk(flags, { done, act: bulk.act(services, input) }, input.dryRun);
    },
  });
}

type FlagEdit = (flag: FeatureFlag) => FlagSpec;

function change({ flags }: RouteServices, edit: FlagEdit): BulkOperation['act'] {
  return (flag, options) => flags.change(flag.metadata, edit, options);
}

const inEnvironment = projectPath.extend({ environment: environmentName });

function switchRoute(position: 'on' | 'off', edit: typeof enableIn, errors: readonly ErrorCode[]): Route {
  return bulkRoute({
    method: 'post',
    path: `/projects/:projectId/bulk_features/environments/:environment/${position}`,
    summary: `Switch flags ${position} in an environment. If one is refused, none is switched.`,
    errors: ['archived', ...errors],
    verb: 'patch',
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    params: inEnvironment,
    body: flagsBody,
    answer: 200,
    done: `switched ${position}`,
    act: (services, { params: { environment = '' } }) =>
      change(services, (flag) => edit(flag, { environment, flagContext: services.catalog.flagContextOf(flag) })),
  });
}

export const bulkRoutes = [
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/archive',
    summary: 'Archive flags.',
    errors: ['in-use', 'still-asked-for'],
    removes: true,
    verb: 'patch',
    permission: 'DELETE_FEATURE',
    touches: 'all',
    params: projectPath,
    body: flagsBody,
    answer: 202,
    done: 'archived',
    act: (services, { body }) =>
      change(services, (flag) => {
        refuseParent(flag, services.catalog.childrenOf(flag), new Set(body.features));
        return archive(flag.spec);
      }),
  }),
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/revive',
    summary: 'Revive archived flags. They are off in all environments. Flags that are not archived stay unchanged.',
    verb: 'patch',
    permission: 'UPDATE_FEATURE',
    touches: 'all',
    params: projectPath,
    body: flagsBody,
    answer: 200,
    done: 'revived',
    act: (services) => change(services, ({ spec }) => revive(spec)),
  }),
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/delete',
    summary: 'Delete archived flags permanently.',
    errors: ['still-asked-for'],
    removes: true,
    verb: 'delete',
    permission: 'DELETE_FEATURE',
    touches: 'all',
    params: projectPath,
    body: flagsBody,
    answer: 200,
    done: 'deleted',
    act:
      ({ flags }) =>
      (flag, options) =>
        flags.delete(flag, { ...options, expect: onlyArchived }),
  }),
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/stale',
    summary: 'Mark flags as stale or not stale.',
    verb: 'patch',
    permission: 'UPDATE_FEATURE',
    params: projectPath,
    body: staleBody,
    answer: 202,
    done: 'marked',
    act: (services, { body }) =>
      change(services, (flag) => {
        const { spec } = unlessArchived(flag);
        return setMetadata(spec, { ...metadataOf(spec), stale: body.stale ?? true });
      }),
  }),
  bulkRoute({
    method: 'put',
    path: '/projects/:projectId/tags',
    summary: 'Add tags to flags and remove others.',
    verb: 'patch',
    permission: 'UPDATE_FEATURE',
    params: projectPath,
    body: bulkTagsBody,
    answer: 200,
    done: 'tagged',
    act: (services, { body }) => {
      const wanted = tagChangeOf(body.tags);
      return change(services, (flag) => changeTags(unlessArchived(flag), wanted));
    },
  }),
  switchRoute('on', enableIn, ['cannot-enable']),
  switchRoute('off', disableIn, []),
];
