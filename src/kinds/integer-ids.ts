/** Assigns ids to users, roles and segments: each once, stored before any status shows it. */
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  type Claimant,
  type ConflictingOwners,
  grantIds,
  type HighestIdByKind,
  highestIdsOf,
  type IdRequest,
  idVerdict,
  wantedId,
} from '../domain/identity/integer-id.ts';

/** The store of the highest ids. */
export interface HighestIdsKept<Kept extends { readonly marks: HighestIdByKind }> {
  read(): Promise<Kept>;
  /** Replaces exactly the version that was read; throws after a concurrent write. */
  write(marks: HighestIdByKind, over: Kept): Promise<Kept>;
}

export interface Ids {
  /** The id for the status of the object; undefined: it must not have one for now. */
  idFor(plural: string, object: Claimant, conflictingOwners: ConflictingOwners): Promise<number | undefined>;
}

interface Parts<Kept extends { readonly marks: HighestIdByKind }> {
  readonly kept: HighestIdsKept<Kept>;
  /** The highest ids that the caches have seen. */
  readonly highestIds: () => HighestIdByKind;
}

/** Many more than are written at the same time. */
const MAX_GRANTED = 10_000;

interface Wish extends IdRequest {
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The ids of one term of a leader: the version of the ConfigMap detects marks that another replica has raised. A
 * request for an id during a write shares the next write.
 */
export function createIds<Kept extends { readonly marks: HighestIdByKind }>({ kept, highestIds }: Parts<Kept>): Ids {
  let known: Kept | undefined;
  let waiting: Wish[] = [];
  let isWriting = false;
  /**
   * The ids by uid, until they are in the status: a failed write is retried with the same id. Objects that are deleted
   * before that leave theirs here.
   */
  const granted = new LRUCache<string, number>({ max: MAX_GRANTED });

  async function grant(wishes: readonly Wish[]): Promise<void> {
    const before = known ?? (await kept.read());
    const { marks, grants } = grantIds(highestIdsOf(before.marks, highestIds()), wishes);
    known = isDeepStrictEqual(marks, before.marks) ? before : await kept.write(marks, before);
    for (const { wish, id } of grants) wish.resolve(id);
  }

  async function work(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const wishes = waiting;
      waiting = [];
      try {
        await grant(wishes);
      } catch (error) {
        known = undefined;
        for (const { reject } of wishes) reject(error);
      }
    }
    isWriting = false;
  }

  const ask = (wish: IdRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...wish, resolve, reject });
      if (!isWriting) void work();
    });

  async function give(plural: string, uid: string): Promise<number> {
    const id = granted.get(uid) ?? (await ask({ plural }));
    granted.set(uid, id);
    return id;
  }

  return {
    async idFor(plural, object, conflictingOwners) {
      const { uid } = object.metadata;
      if (wantedId(object) !== undefined) granted.delete(uid);
      const verdict = idVerdict(object, conflictingOwners);
      if (verdict === 'none') return undefined;
      if (verdict === 'new') return give(plural, uid);
      if ((known?.marks[plural] ?? 0) < verdict) await ask({ plural, id: verdict });
      return verdict;
    },
  };
}
