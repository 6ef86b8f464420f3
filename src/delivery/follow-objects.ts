/** Fills the log of changed objects from the caches of the kinds that every caller may list. */
import type { CacheChange } from '../catalog/cached.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import { type DecidingKindName, decidingKindNames, type ObjectOf } from '../schema/kinds.ts';
import type { ObjectLog } from './object-log.ts';

interface Followed<T> {
  readonly kind: { readonly kind: string; readonly plural: string };
  subscribe(listener: (change: CacheChange<T>) => void): unknown;
}

type FollowedKinds = { readonly [N in DecidingKindName]: Followed<ObjectOf<N> & Named> };

/** The project of an object of each kind; null: of none. */
const projectOf: { readonly [N in DecidingKindName]: (object: ObjectOf<N>) => string | null } = {
  flags: projectIdOf,
  projects: wireNameOf,
  environments: () => null,
  strategyTypes: () => null,
  segments: ({ spec }) => spec.project ?? null,
};

export function followObjects({ add }: Pick<ObjectLog, 'add'>, followed: FollowedKinds): void {
  const follow = <N extends DecidingKindName>(name: N) => {
    const {
      kind: { kind, plural },
      subscribe,
    } = followed[name];
    subscribe(({ before, after }) => {
      const object = after ?? before;
      if (!object || before?.metadata.resourceVersion === after?.metadata.resourceVersion) return;
      const { namespace, name: objectName, resourceVersion } = object.metadata;
      const about = { kind, resource: plural, namespace, objectName, resourceVersion };
      add({ ...about, project: projectOf[name](object), name: wireNameOf(object), isDeleted: after === undefined });
    });
  };
  for (const name of decidingKindNames) follow(name);
}
