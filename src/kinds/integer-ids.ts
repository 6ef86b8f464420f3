/** Assigns ids to users, roles and segments: each once, stored before any status shows it. */
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  allocateIds,
  type Claimant,
  type ConflictingOwners,
  type HighestIdByKind,
  highestIdsOf,
  type IdRequest,
  idVerdict,
  wantedId,
} from '../domain/identity/integer-id.ts';

/** The store of the highest ids. */
export interface HighestIdsKept<Kept extends { readonly highest: HighestIdByKind }> {
  read(): Promise<Kept>;
  /** Replaces exactly the version that was read; throws after a concurrent write. */
  write(highest: HighestIdByKind, over: Kept): Promise<Kept>;
}

export interface Ids {
  /** The id for the status of the object; undefined: it must not have one for now. */
  idFor(plural: string, object: Claimant, conflictingOwners: ConflictingOwners): Promise<number | undefined>;
}

interface Parts<Kept extends { readonly highest: HighestIdByKind }> {
  readonly kept: HighestIdsKept<Kept>;
  /** The highest ids that the caches have seen. */
  readonly highestIds: () => HighestIdByKind;
}

/** Many more than are written at the same time. */
const MAX_ALLOCATED = 10_000;

interface WaitingRequest extends IdRequest {
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The ids of one term of a leader: the version of the ConfigMap detects ids that another replica has allocated. A
 * request for an id during a write shares the next write.
 */
export function createIds<Kept extends { readonly highest: HighestIdByKind }>({ kept, highestIds }: Parts<Kept>): Ids {
  let known: Kept | undefined;
  let waiting: WaitingRequest[] = [];
  let isWriting = false;
  /**
   * The ids by uid, until they are in the status: a failed write is retried with the same id. Objects that are deleted
   * before that leave theirs here.
   */
  const allocated = new LRUCache<string, number>({ max: MAX_ALLOCATED });

  async function allocate(requests: readonly WaitingRequest[]): Promise<void> {
    const before = known ?? (await kept.read());
    const { highest, allocations } = allocateIds(highestIdsOf(before.highest, highestIds()), requests);
    known = isDeepStrictEqual(highest, before.highest) ? before : await kept.write(highest, before);
    for (const { request, id } of allocations) request.resolve(id);
  }

  async function work(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const requests = waiting;
      waiting = [];
      try {
        await allocate(requests);
      } catch (error) {
        known = undefined;
        for (const { reject } of requests) reject(error);
      }
    }
    isWriting = false;
  }

  const ask = (request: IdRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...request, resolve, reject });
      if (!isWriting) void work();
    });

  async function give(plural: string, uid: string): Promise<number> {
    const id = allocated.get(uid) ?? (await ask({ plural }));
    allocated.set(uid, id);
    return id;
  }

  return {
    async idFor(plural, object, conflictingOwners) {
      const { uid } = object.metadata;
      if (wantedId(object) !== undefined) allocated.delete(uid);
      const verdict = idVerdict(object, conflictingOwners);
      if (verdict === 'none') return undefined;
      if (verdict === 'new') return give(plural, uid);
      if ((known?.highest[plural] ?? 0) < verdict) await ask({ plural, id: verdict });
      return verdict;
    },
  };
}
