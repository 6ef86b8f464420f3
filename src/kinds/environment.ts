/** Environment: reconciles its status with its spec and its use; its clone proceeds step by step. */
import { environmentMapping } from '../audit/derive/environment.ts';
import { type CacheChange, changedInSubstance } from '../catalog/cached.ts';
import { grantedToSettings } from '../domain/approval/grants.ts';
import { atRest } from '../domain/environment/clone-progress.ts';
import { judgeEnvironment } from '../domain/environment/judge-environment.ts';
import { environmentsOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { type Environment, type EnvironmentSpec, type EnvironmentStatus, environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { KindDefinition } from './definition.ts';
import { environmentCloning } from './environment-clone.ts';
import { wireNameKeys } from './indexes.ts';
import { findBy, onChange, onClaim, onOwnChange, targetsOf, versions, wireNamesOf } from './subscriptions.ts';

const indexes = { wireName: wireNameKeys };

const NO_USE = { projects: 0, apiTokens: 0, enabledFlags: 0 };

export const environmentDefinition: KindDefinition<EnvironmentSpec, EnvironmentStatus, keyof typeof indexes> = {
  kind: environment,
  indexes,
  concurrency: 4,

  triggers({ own, caches: { flags, projects, tokens, strategyTypes, changeRequests }, claims, enqueue }) {
    const countAll = () => enqueue.later(own.all());
    const enqueueNamed = (names: Iterable<string>) => enqueue.later(findBy(own, 'wireName', names));
    const countFlags = (changed: readonly FeatureFlag[]) =>
      enqueueNamed(new Set(changed.flatMap((flag) => environmentsOf(flag).map(([name]) => name))));
    return [
      onOwnChange(own, enqueue),
      own.subscribe((change) => {
        if (changedForClones(change)) enqueue.now(clonesOf(own.all(), versions(change)));
      }),
      onChange(flags, countFlags, changedOrSwitched),
      onClaim(claims.of('featureflags'), flags, countFlags),
      onChange(projects, countAll),
      onClaim(claims.of('projects'), projects, countAll),
      onChange(tokens, (changed) => enqueueNamed(changed.flatMap(({ spec }) => spec.environment ?? []))),
      changeRequests.subscribe((change) => enqueue.now(targetsOf('Environment', change, own))),
      // A strategy type that is added or removed switches flags on or off.
      onChange(strategyTypes, countAll),
    ];
  },

  judge({ catalog, resources, now }) {
    const step = environmentCloning({ ...resources, catalog, now });
    return async (object, report) => {
      const conflictingOwner = catalog.environmentConflictWith(object);
      const clone = conflictingOwner ? atRest(object.status?.clone) : await step(object, report);
      const use = conflictingOwner ? NO_USE : catalog.useOf(wireNameOf(object));
      const requests = catalog.requestsFor('Environment', object.metadata);
      const granted = grantedToSettings({ kind: 'Environment', object }, requests, now());
      return judgeEnvironment({ environment: object, conflictingOwner, use, clone, granted }, now());
    };
  },

  auditMapping: environmentMapping,
};

/** A flag that depends on another goes on or off with it, and then its status changes too. */
function changedOrSwitched(change: CacheChange<FeatureFlag>): boolean {
  return changedInSubstance(change) || change.before?.status?.enabledIn !== change.after?.status?.enabledIn;
}

/** A clone waits until the clone of its own source has ended. */
function changedForClones(change: CacheChange<Environment>): boolean {
  return changedInSubstance(change) || change.before?.status?.clone?.phase !== change.after?.status?.clone?.phase;
}

function clonesOf(all: Iterable<Environment>, sources: readonly Environment[]): readonly Environment[] {
  const names = wireNamesOf(sources);
  return [...all].filter(({ spec }) => spec.clone && names.has(spec.clone.from));
}
