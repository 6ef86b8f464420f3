/** The same for several flags of a project. */
import type { z } from 'zod';
import { archive, metadataOf, revive, setMetadata } from '../../domain/edit-flag.ts';
import { changeTags } from '../../domain/edit-tags.ts';
import { disableIn, enableIn } from '../../domain/switch.ts';
import type { ErrorCode } from '../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { PermissionName } from '../../schema/permission.ts';
import { type Deed, doToFlags } from '../do-to-flags.ts';
import { findFlags, findProject, onlyArchived, unlessArchived } from '../find.ts';
import { toFlag, toFlagsOfBody } from '../identity/asks.ts';
import { ifSeen } from '../precondition.ts';
import { type Route, route, type Services } from '../route.ts';
import { bulkTagsBody, flagsBody, MOST_FLAGS, staleBody } from '../wire/bulk-input.ts';
import { tagChangeOf } from '../wire/tag.ts';
import { environmentName } from './environments.ts';
import { projectPath } from './projects.ts';

interface Place {
  readonly projectId: string;
  readonly environment?: string;
}

interface Bulk<B> {
  readonly method: 'post' | 'put';
  readonly path: string;
  readonly summary: string;
  /** Beside what is not there. */
  readonly refuses?: readonly ErrorCode[];
  readonly verb: 'patch' | 'delete';
  readonly permission: PermissionName;
  readonly params: z.ZodType<Place>;
  readonly body: z.ZodType<B>;
  readonly answer: 200 | 202;
  readonly done: string;
  readonly act: (services: Services, wanted: { readonly params: Place; readonly body: B }) => Deed['act'];
}

/** Once, before the first write: the caller may have read any list that the flags stand in. */
function ifListSeen({ catalog, pages }: Services, projectId: string, ifMatch: string | undefined): void {
  const view = findProject(catalog, projectId);
  ifSeen(ifMatch, 'list of flags', () => [pages.flags(view), pages.overview(view), pages.archive([view])])(undefined);
}

function bulkRoute<B extends { readonly features: readonly string[] }>(bulk: Bulk<B>): Route {
  const { method, path, verb, permission, params, body, answer, done } = bulk;
  const ofOne = toFlag(verb, permission);
  return route({
    method,
    path,
    summary: `${bulk.summary} Up to ${MOST_FLAGS} in one call.`,
    refuses: ['not-found', ...(bulk.refuses ?? [])],
    asks: toFlagsOfBody(verb, permission),
    // Without a name: for any flag of the project.
    alsoAsks: (known, input) => {
      const names = input.body.features.length === 0 ? [''] : [...new Set(input.body.features)];
      return names.map((featureName) => ofOne.of(known, { ...input.params, featureName }));
    },
    params,
    body,
    answer,
    handle: async (services, input) => {
      const { projectId } = input.params;
      const flags = findFlags(services.catalog, projectId, input.body.features);
      ifListSeen(services, projectId, input.ifMatch);
      await doToFlags(flags, { done, act: bulk.act(services, input) }, input.dryRun);
    },
  });
}

type Edit = (flag: FeatureFlag) => FlagSpec;

function change({ flags }: Services, edit: Edit): Deed['act'] {
  return (flag, options) => flags.change(flag.metadata, edit, options);
}

const inEnvironment = projectPath.extend({ environment: environmentName });

function switchRoute(position: 'on' | 'off', edit: typeof enableIn, refuses: readonly ErrorCode[]): Route {
  return bulkRoute({
    method: 'post',
    path: `/projects/:projectId/bulk_features/environments/:environment/${position}`,
    summary: `Switch flags ${position} in an environment: all of them, or none where one is refused.`,
    refuses: ['archived', ...refuses],
    verb: 'patch',
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    params: inEnvironment,
    body: flagsBody,
    answer: 200,
    done: `switched ${position}`,
    act: (services, { params: { environment = '' } }) =>
      change(services, (flag) => edit(flag, { environment, surroundings: services.catalog.surroundingsOf(flag) })),
  });
}

export const bulkRoutes = [
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/archive',
    summary: 'Archive flags.',
    verb: 'patch',
    permission: 'DELETE_FEATURE',
    params: projectPath,
    body: flagsBody,
    answer: 202,
    done: 'archived',
    act: (services) => change(services, ({ spec }) => archive(spec)),
  }),
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/revive',
    summary: 'Take flags back from the archive, off everywhere; those that are not in it stay as they are.',
    verb: 'patch',
    permission: 'UPDATE_FEATURE',
    params: projectPath,
    body: flagsBody,
    answer: 200,
    done: 'out of the archive',
    act: (services) => change(services, ({ spec }) => revive(spec)),
  }),
  bulkRoute({
    method: 'post',
    path: '/projects/:projectId/delete',
    summary: 'Delete archived flags for good.',
    verb: 'delete',
    permission: 'DELETE_FEATURE',
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
    summary: 'Mark flags as stale, or not stale any more.',
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
    summary: 'Add tags to flags and take others off.',
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
