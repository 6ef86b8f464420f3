/** Ties what the leader writes to its term. */
import { retentionStamp } from '../domain/identity/author.ts';
import { ClusterError, Refusal } from '../errors.ts';
import type { TermResource } from '../kinds/definition.ts';
import type { HighestIdsKept } from '../kinds/integer-ids.ts';
import type { HighestIds, HighestIdsClient } from '../kube/api/highest-ids.ts';
import type { SecretsClient } from '../kube/api/secrets.ts';
import type { WriteFence } from '../kube/api/transport.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { ObjectMetadata, Ref } from '../model/object.ts';
import type { Term } from '../runtime/election.ts';

/** Throws Refusal `unavailable` after the end of the term. */
function requireCurrent(term: Term): void {
  if (!term.isCurrent()) throw new Refusal('unavailable', 'This replica is not the leader any more');
}

/** A process that was paused for longer than its lease must not complete a write that it decided on before. */
export function fenceOf(term: Term): WriteFence {
  const beforeSend = async () => requireCurrent(term);
  return { signal: term.signal, beforeSend };
}

export function fence<S, T>(
  resource: Resource<S, T, 'wireName'>,
  { term, now }: { readonly term: Term; readonly now: () => number },
): TermResource<S, T> {
  const { get, by, all, subscribe, ownedIn } = resource;
  const fenced = fenceOf(term);
  return {
    ...{ get, by, all, subscribe, ownedIn },
    live: (ref: Ref) => resource.live(ref, term.signal),
    applyStatus: (object, status) => resource.applyStatus(object, status, fenced),
    change: (ref, edit, options) => resource.change(ref, edit, { ...options, ...fenced }),
    remove: (object, reason) =>
      resource.delete(object, {
        expect: ({ metadata }) => requireVersion(metadata, object.metadata),
        stamp: () => retentionStamp(reason, now()),
        ...fenced,
      }),
  };
}

/** A new version is judged again. */
function requireVersion({ resourceVersion }: ObjectMetadata, judged: ObjectMetadata): void {
  if (resourceVersion !== judged.resourceVersion) throw new ClusterError('conflict', 'it was written meanwhile');
}

export function fenceSecrets({ read, create }: SecretsClient, term: Term): SecretsClient {
  return {
    read: (ref) => read(ref, term.signal),
    create: (secret) => create(secret, fenceOf(term)),
  };
}

export function fenceHighestIds({ read, write }: HighestIdsClient, term: Term): HighestIdsKept<HighestIds> {
  return {
    read: () => read(term.signal),
    write: (highest, over) => write(highest, over, fenceOf(term)),
  };
}
