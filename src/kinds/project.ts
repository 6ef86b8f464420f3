/** Project: reconciles its status with its spec, its environments and members, and the counts of its flags. */
import { projectMapping } from '../audit/derive/project.ts';
import { changedOrGotId } from '../catalog/cached.ts';
import { grantedToSettings } from '../domain/approval/grants.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { judgeProject } from '../domain/project/judge-project.ts';
import { emptySummary } from '../domain/project/project-summary.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { type Project, type ProjectSpec, type ProjectStatus, project } from '../schema/project.ts';
import { publishDuplicate } from './apply-status.ts';
import type { KindDefinition } from './definition.ts';
import { claimShard, wireNameKeys } from './indexes.ts';
import { findBy, onChange, onClaim, onOwnChange, targetsOf, wireNamesOf } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  claimShard,
  member: ({ spec }: Project) => Object.keys(spec.members ?? {}),
  memberRole: ({ spec }: Project) => Object.values(spec.members ?? {}).flatMap((role) => role ?? []),
};

export const projectDefinition: KindDefinition<ProjectSpec, ProjectStatus, keyof typeof indexes> = {
  kind: project,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { flags, environments, users, roles, changeRequests }, claims, enqueue }) {
    const countFlags = (changed: readonly FeatureFlag[]) =>
      enqueue.later(findBy(own, 'wireName', new Set(changed.map(projectIdOf))));
    return [
      onOwnChange(own, enqueue),
      onClaim(claims.of('projects'), own, enqueue.now),
      onChange(flags, countFlags),
      onClaim(claims.of('featureflags'), flags, countFlags),
      // Environments are few and change rarely, and a project may use all that are enabled.
      onChange(environments, () => enqueue.later(own.all())),
      onChange(users, (changed) => enqueue.later(findBy(own, 'member', wireNamesOf(changed))), changedOrGotId),
      changeRequests.subscribe((change) => enqueue.now(targetsOf('Project', change, own))),
      onChange(roles, (changed) => enqueue.later(findBy(own, 'memberRole', wireNamesOf(changed))), changedOrGotId),
    ];
  },

  judge({ catalog, now }) {
    const { everyEnvironment, people } = catalog;
    return async (object, report) => {
      const conflictingOwner = catalog.projectConflictWith(object);
      const view = conflictingOwner ? undefined : catalog.view(wireNameOf(object));
      const summary = view ? catalog.summaryOf(view) : emptySummary;
      const duplicates = catalog.projectDuplicates(object);
      const requests = catalog.requestsFor('Project', object.metadata);
      const granted = grantedToSettings({ kind: 'Project', object }, requests, now());
      const context = { conflictingOwner, duplicates, everyEnvironment: everyEnvironment(), people, summary, granted };
      const verdict = judgeProject({ project: object, ...context }, now());
      await publishDuplicate(object, verdict.status, report);
      return verdict;
    };
  },

  auditMapping: projectMapping,
};
