/** Fills the log of changed objects from the caches of the kinds that every caller may list. */
import type { CacheChange } from '../catalog/cached.ts';
import { projectIdOf } from '../domain/flag/flag-values.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import type { decidingKindNames, ObjectOf } from '../schema/kinds.ts';
import type { ObjectLog } from './object-log.ts';

interface Followed<T> {
  readonly kind: { readonly kind: string; readonly plural: string };
  subscribe(listener: (change: CacheChange<T>) => void): unknown;
}

type FollowedKinds = {
  readonly [K in (typeof decidingKindNames)[number]]: Followed<ObjectOf<K>>;
};

export function followObjects(
  { add }: Pick<ObjectLog, 'add'>,
  { flags, projects, environments, strategyTypes, segments }: FollowedKinds,
): void {
  const follow = <T extends Named>(
    { kind: { kind, plural }, subscribe }: Followed<T>,
    projectOf: (object: T) => string | null,
  ) =>
    subscribe(({ before, after }) => {
      const object = after ?? before;
      if (!object || before?.metadata.resourceVersion === after?.metadata.resourceVersion) return;
      const { namespace, name: objectName, resourceVersion } = object.metadata;
      const about = { kind, resource: plural, namespace, objectName, resourceVersion };
      add({ ...about, project: projectOf(object), name: wireNameOf(object), isDeleted: after === undefined });
    });
  follow(flags, projectIdOf);
  follow(projects, wireNameOf);
  follow(environments, () => null);
  follow(strategyTypes, () => null);
  follow(segments, ({ spec }) => spec.project ?? null);
}
