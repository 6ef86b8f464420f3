/** The flags that a change of any kind, or the time, may affect. */
import { wireNameOf } from '../domain/identity/names.ts';
import { createListeners } from '../model/listeners.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { type DecidingKindName, decidingKindNames, type ObjectOf } from '../schema/kinds.ts';
import type { Project } from '../schema/project.ts';
import type { Segment } from '../schema/segment.ts';
import { type CacheChange, type Caches, type ClaimedCache, changedInSubstance, changedOrGotId } from './cached.ts';
import type { PlannedMoments } from './planned-moments.ts';
import { projectKey } from './project-context.ts';

/** Names of flags. A name may occur twice, and a flag may turn out to be unchanged. */
export type TouchedFlags = readonly string[] | 'all';

/**
 * Calls each listener after each change of a spec or of a claim to a name, and when a moment of a window or a ramp
 * passes.
 */
export type ListenToTouched = (listener: (touched: TouchedFlags) => void) => void;

interface Parts extends Pick<Caches, 'environments' | 'strategyTypes'> {
  readonly segments: ClaimedCache<Segment, 'wireName' | 'id'>;
  readonly flags: ClaimedCache<FeatureFlag, 'wireName' | 'project' | 'parent' | 'segment'>;
  readonly projects: ClaimedCache<Project>;
  readonly moments: Pick<PlannedMoments, 'onPassed'>;
  readonly onFault: (error: unknown) => void;
}

/** What a change of an object of each kind may affect. */
type Touches = { readonly [N in DecidingKindName]: (object: ObjectOf<N>) => TouchedFlags };

type Followed = {
  readonly [N in DecidingKindName]: { subscribe(listener: (change: CacheChange<ObjectOf<N>>) => void): unknown };
};

/** Whether a change of each kind may affect any flag. */
const isRelevant: { readonly [N in DecidingKindName]: (change: CacheChange<ObjectOf<N>>) => boolean } = {
  flags: changedInSubstance,
  projects: changedInSubstance,
  environments: changedInSubstance,
  strategyTypes: changedInSubstance,
  segments: changedOrGotId,
};

export function createTouchedFlags(parts: Parts): ListenToTouched {
  const { flags, projects, segments, moments, onFault } = parts;
  const { add, call: publish } = createListeners<[touched: TouchedFlags]>(onFault);
  const withChildren = (name: string) => [name, ...flags.by('parent', name).map(wireNameOf)];
  const inProject = (id: string, ...others: readonly string[]) =>
    [...new Set([...others, ...projects.by('wireName', id).map(({ metadata }) => metadata.namespace)])].flatMap(
      (namespace) => flags.by('project', projectKey(namespace, id)).map(wireNameOf),
    );
  /** Another segment may wait for the id of this one. */
  const ofSegment = (segment: Segment) => {
    const ids = [segment.spec.id, segment.status?.id].flatMap((id) => id ?? []);
    const others = ids.flatMap((id) => segments.by('id', `${id}`));
    const names = new Set([segment, ...others].map(wireNameOf));
    return [...names].flatMap((name) => flags.by('segment', name).map(wireNameOf));
  };
  const touchedBy: Touches = {
    flags: (flag) => withChildren(wireNameOf(flag)),
    projects: (project) => inProject(wireNameOf(project), project.metadata.namespace),
    environments: () => 'all',
    strategyTypes: () => 'all',
    segments: ofSegment,
  };
  const subscribe = <N extends DecidingKindName>(name: N) => {
    const [caches, touched]: [Followed, Touches] = [parts, touchedBy];
    caches[name].subscribe((change) => {
      if (!isRelevant[name](change)) return;
      for (const object of [change.before, change.after]) if (object) publish(touched[name](object));
    });
  };

  for (const name of decidingKindNames) subscribe(name);
  segments.claims.onClaim((name) => publish(segments.by('wireName', name).flatMap(ofSegment)));
  flags.claims.onClaim((name) => publish(withChildren(name)));
  projects.claims.onClaim((id) => publish(inProject(id)));
  moments.onPassed(publish);
  return add;
}
