/**
 * FeatureFlag: reconciles its status with its spec and the project, environments, strategy types, parents and segments
 * that it names.
 */
import { isDeepStrictEqual } from 'node:util';
import { flagMapping } from '../audit/derive/flag.ts';
import { type CacheChange, changedOrGotId } from '../catalog/cached.ts';
import { projectKey } from '../catalog/project-context.ts';
import { grantedToFlag } from '../domain/approval/grants.ts';
import { dependenciesOf } from '../domain/flag/dependencies.ts';
import { environmentsOf, projectIdOf, strategiesOf } from '../domain/flag/flag-values.ts';
import { judgeFlag } from '../domain/flag/judge/judge-flag.ts';
import { segmentNamesOf } from '../domain/flag/segments-of-flag.ts';
import { segmentedStrategies } from '../domain/flag/uses.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { readyTransition } from '../domain/judgement/ready-transition.ts';
import { isBuiltIn } from '../domain/strategy-type/strategy-types.ts';
import { nextTurn } from '../runtime/turns.ts';
import { type FeatureFlag, type FlagSpec, type FlagStatus, featureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { Segment } from '../schema/segment.ts';
import { publishDuplicate } from './apply-status.ts';
import type { KindDefinition } from './definition.ts';
import { claimShard, wireNameKeys } from './indexes.ts';
import { findBy, onChange, onClaim, targetsOf, wireNamesOf, withNamesakes } from './subscriptions.ts';

const indexes = {
  wireName: wireNameKeys,
  claimShard,
  project: (flag: FeatureFlag) => [projectKey(flag.metadata.namespace, projectIdOf(flag))],
  environment: (flag: FeatureFlag) => environmentsOf(flag).map(([name]) => name),
  parent: (flag: FeatureFlag) => dependenciesOf(flag).map(({ feature }) => feature),
  segment: (flag: FeatureFlag) => [...segmentNamesOf(flag)],
  segmentedStrategy: (flag: FeatureFlag) => segmentedStrategies(flag).map(({ id }) => id),
  /** The strategy types, without the built-in ones, which never change. */
  strategyType: (flag: FeatureFlag) =>
    environmentsOf(flag)
      .flatMap(([, environment]) => strategiesOf(environment).map(({ strategy }) => strategy.name))
      .filter((name) => !isBuiltIn(name)),
};

export const flagDefinition: KindDefinition<FlagSpec, FlagStatus, keyof typeof indexes> = {
  kind: featureFlag,
  indexes,
  concurrency: 16,

  triggers({ own, caches: { projects, environments, strategyTypes, segments, changeRequests }, claims, enqueue }) {
    const ofProject = (project: Project) =>
      own.by('project', projectKey(project.metadata.namespace, wireNameOf(project)));
    const enqueueOf = (changed: readonly Project[]) => enqueue.now(changed.flatMap(ofProject));
    const enqueueChildren = (changed: readonly FeatureFlag[]) =>
      enqueue.now(findBy(own, 'parent', wireNamesOf(changed)));
    const enqueueUsers = (changed: readonly Segment[]) => enqueue.now(findBy(own, 'segment', wireNamesOf(changed)));
    return [
      own.subscribe((change) => {
        if (!isOnlySeen(change)) enqueue.now(withNamesakes(own, change));
      }),
      onChange(own, enqueueChildren),
      onClaim(claims.of('featureflags'), own, enqueue.now),
      onClaim(claims.of('featureflags'), own, enqueueChildren),
      onChange(projects, enqueueOf),
      onClaim(claims.of('projects'), projects, enqueueOf),
      onChange(environments, (changed) => enqueue.now(findBy(own, 'environment', wireNamesOf(changed)))),
      onChange(strategyTypes, (changed) => enqueue.now(findBy(own, 'strategyType', wireNamesOf(changed)))),
      onChange(segments, enqueueUsers, changedOrGotId),
      onClaim(claims.of('segments'), segments, enqueueUsers),
      changeRequests.subscribe((change) => enqueue.now(targetsOf('FeatureFlag', change, own))),
    ];
  },

  judge({ catalog, usageConditions, now }) {
    return async (flag, report) => {
      const flagContext = catalog.flagContextOf(flag);
      const effect = catalog.effectOf(flag);
      const duplicates = catalog.flagDuplicates(flag);
      // Of a large flag, the effect and the verdict each take long.
      await nextTurn();
      const granted = grantedToFlag(flag, catalog.requestsFor('FeatureFlag', flag.metadata), now());
      const verdict = judgeFlag({ flag, flagContext, effect, duplicates, granted, also: usageConditions(flag) }, now());
      await publishDuplicate(flag, verdict.status, report);
      const transition = readyTransition(flag.status, verdict.status);
      if (transition) await report(transition);
      return verdict;
    };
  },

  auditMapping: flagMapping,
};

/** Whether only the time of the last use has changed, so that a right status is still right. */
function isOnlySeen({ before, after }: CacheChange<FeatureFlag>): boolean {
  if (before === undefined || after === undefined) return false;
  if (before.status?.lastSeenAt === after.status?.lastSeenAt) return false;
  return isDeepStrictEqual(withoutSeen(before), withoutSeen(after));
}

/** The generation stands for the spec. */
function withoutSeen({ metadata, status, defects }: FeatureFlag) {
  const { resourceVersion: _, ...rest } = metadata;
  return { metadata: rest, status: { ...status, lastSeenAt: undefined }, defects };
}
