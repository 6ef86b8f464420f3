/** The indexes that several kinds have. */
import type { WithIntegerId } from '../domain/identity/integer-id.ts';
import { type Named, wireNameOf } from '../domain/identity/names.ts';
import { shardOf } from '../domain/name-claims/claim-shards.ts';

export const wireNameKeys = (object: Named) => [wireNameOf(object)];

/** The shard of the claims that the name of the object belongs to. */
export const claimShard = (object: Named) => [`${shardOf(wireNameOf(object))}`];

/** The id that the object wants, and the one that it has: they differ only if rules of the schema were bypassed. */
export const integerIdKeys = ({ spec, status }: WithIntegerId) =>
  [spec.id, status?.id].flatMap((one) => (one === undefined ? [] : [`${one}`]));
