/** Whether the history knows what was in force at a time. */
import type { FoundVersions, PastObject, VersionScope, WantedFlags } from '../../audit/archive/versions/versions.ts';
import { projectIdOf } from '../../domain/flag/flag-values.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { Refusal } from '../../errors.ts';
import { isRecord } from '../../model/json.ts';
import type { AnyObject } from '../../model/object.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import { decidingPlurals } from '../../schema/kinds.ts';

/** A kind in a watched namespace; undefined: in all. */
interface WatchedPlace {
  readonly resource: string;
  readonly namespace: string | undefined;
}

export interface RecordedParts {
  /** Those of kinds that decide. */
  readonly places: readonly WatchedPlace[];
  /** The present flags, and the other objects that decide. */
  readonly flags: () => Iterable<FeatureFlag>;
  readonly others: (resource: string) => Iterable<AnyObject>;
}

/** Where a request has a time. */
export interface TimePlace {
  readonly part: 'query' | 'body';
  /** Default: `at`. */
  readonly key?: string;
}

interface KnownTime extends TimePlace {
  /** Ms since 1970. */
  readonly at: number;
  readonly flags: WantedFlags;
}

export interface Recorded {
  /** The kinds that are read as a whole. */
  readonly resources: readonly string[];
  /** Without objects that are not watched any more. */
  watched(found: FoundVersions): FoundVersions;
  /** Throws a Refusal for a time before the versions are complete. */
  requireKnown(found: FoundVersions, asked: KnownTime): void;
  /** Throws a Refusal if the present state shows a change that is not recorded yet. */
  requireUpToDate(found: FoundVersions, asked: KnownTime): void;
}

const RETRY_SECONDS = 1;

/** The kinds that decide about flags, except flags. */
const resources = decidingPlurals.filter((plural) => plural !== featureFlag.plural);

export function createRecorded({ places, flags, others }: RecordedParts): Recorded {
  const scopeOf = ({ resource, namespace = '' }: WatchedPlace) => `${resource}/${namespace}`;

  function placeOf(object: { readonly resource: string; readonly namespace: string }): WatchedPlace | undefined {
    const isThere = ({ resource, namespace = object.namespace }: WatchedPlace) =>
      resource === object.resource && namespace === object.namespace;
    return places.find(isThere);
  }

  /** Whether versions may be missing up to the time, as nothing was recorded of the place since. */
  function isIncomplete(scopes: readonly VersionScope[], place: WatchedPlace | undefined, at: number): boolean {
    const until = scopes.find(({ scope }) => place && scope === scopeOf(place))?.until;
    return until === undefined || until < at;
  }

  function presentIn(resource: string, asked: WantedFlags): readonly AnyObject[] {
    if (resource !== featureFlag.plural) return [...others(resource)];
    return [...flags()].filter((flag) => isAsked(asked, wireNameOf(flag), projectIdOf(flag)));
  }

  return {
    resources,
    watched: ({ objects, scopes }) => ({ objects: objects.filter((one) => placeOf(one)), scopes }),

    requireKnown({ scopes }, { at, ...place }) {
      const since = places.map((place) => scopes.find(({ scope }) => scope === scopeOf(place))?.since);
      const complete = since.every((one) => one !== undefined) ? Math.max(...since) : undefined;
      if (complete !== undefined && at >= complete) return;
      const when = new Date(at).toISOString();
      throw refusedTime(
        complete === undefined
          ? `The history has no versions of some objects yet, so it does not know ${when}`
          : `The history has complete versions since ${new Date(complete).toISOString()}: name a time from then on, not ${when}`,
        place,
      );
    },

    requireUpToDate({ objects, scopes }, { at, flags: asked }) {
      // A deletion without a time is recorded, but does not say up to when the versions are complete.
      const overtaken = new Set(objects.filter(({ hasLater }) => hasLater).map(({ uid }) => uid));
      const mayMiss = (resource: string, { namespace, uid }: Pick<PastObject, 'namespace' | 'uid'>) =>
        !overtaken.has(uid) && isIncomplete(scopes, placeOf({ resource, namespace }), at);
      const recorded = objects
        .filter((object) => object.after.content && mayMiss(object.resource, object))
        .filter((object) => object.resource !== featureFlag.plural || isAsked(asked, wireNameIn(object)))
        .map(({ uid, after }) => `${uid}@${after.generation}`);
      const present = decidingPlurals.flatMap((resource) =>
        presentIn(resource, asked)
          .filter(({ metadata }) => mayMiss(resource, metadata))
          .map(({ metadata }) => `${metadata.uid}@${metadata.generation}`),
      );
      if (new Set(recorded).symmetricDifference(new Set(present)).size === 0) return;
      const message = `Changes up to ${new Date(at).toISOString()} are not in the history yet. Ask again in a second, or for an earlier time.`;
      throw new Refusal('unavailable', message, { retryAfterSeconds: RETRY_SECONDS });
    },
  };
}

/** An absent project counts as the right one: the flags of other projects were not read. */
function isAsked(asked: WantedFlags, name: string, projectId?: string): boolean {
  if (asked.of === 'all') return true;
  if (asked.of === 'names') return asked.names.includes(name);
  return projectId === undefined || asked.projects.includes(projectId);
}

function wireNameIn({ name, after }: PastObject): string {
  const spec = after.content?.spec;
  return isRecord(spec) && typeof spec['name'] === 'string' ? spec['name'] : name;
}

/** For a time that the history cannot answer. */
export function refusedTime(message: string, { part, key = 'at' }: TimePlace): Refusal {
  return new Refusal('invalid', message, { details: [{ part, keys: [key], message }] });
}
