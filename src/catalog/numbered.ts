/** The objects that own their name and integer id. */

import { idOwnerOf, type WithIntegerId, wantedId } from '../domain/identity/integer-id.ts';
import type { Ref } from '../model/object.ts';
import type { Cached, ClaimedCache } from './cached.ts';
import { nameConflictWithOf, unlessItself } from './holders.ts';

type NumberedCache<T> = Cached<T, 'wireName' | 'id'> | ClaimedCache<T, 'wireName' | 'id'>;

/** Whether the object has an id, and no other object owns its id or its name. */
export function isServed<T extends WithIntegerId>(cache: NumberedCache<T>, object: T): boolean {
  return object.status?.id !== undefined && !nameConflictWithOf(cache, object) && !idConflictWithOf(cache, object);
}

export function inIdOrder<T extends WithIntegerId>(objects: readonly T[]): readonly T[] {
  return objects.toSorted((a, b) => (a.status?.id ?? 0) - (b.status?.id ?? 0));
}

/** The object that owns the id. An object without the id is ignored if another object owns its name. */
export function idOwner<T extends WithIntegerId>(cache: NumberedCache<T>, id: number): T | undefined {
  const wanting = cache.by('id', `${id}`).filter((one) => wantedId(one) === id);
  return idOwnerOf(
    wanting.filter((one) => one.status?.id === id || !nameConflictWithOf(cache, one)),
    id,
  );
}

export function idConflictWithOf<T extends WithIntegerId>(cache: NumberedCache<T>, object: T): Ref | undefined {
  const id = wantedId(object);
  return id === undefined ? undefined : unlessItself(object, idOwner(cache, id));
}

/** The highest id, which never decreases, so that an id that was seen is not given again while this process runs. */
export function highestIn({ all, subscribe }: Pick<Cached<WithIntegerId>, 'all' | 'subscribe'>): () => number {
  let highest = 0;
  const see = (object: WithIntegerId | undefined) => {
    highest = Math.max(highest, object?.spec.id ?? 0, object?.status?.id ?? 0);
  };
  for (const object of all()) see(object);
  subscribe(({ after }) => see(after));
  return () => highest;
}
