/**
 * Deletes a new object again if its name belongs to another namespace, or another object of the name is not younger.
 */

import type { Writable } from '../access/authorization/authorized-writes.ts';
import { compareText, objectNamesFor, wireNameOf } from '../domain/identity/names.ts';
import type { NameClaim } from '../domain/name-claims/name-claims.ts';
import type { CustomObject } from '../model/object.ts';

interface NamedSpec {
  readonly name?: string | undefined;
}

export interface NewObject<S, T> {
  readonly created: CustomObject<S, T>;
  /** The cached owner of the name. */
  readonly cached: CustomObject<S, T> | undefined;
  /** The namespace that the name belongs to; called after the other objects were listed. */
  readonly claim: () => NameClaim | undefined;
}

export interface Yielded<S, T> {
  /** Undefined: the name belongs to a namespace that has no object of the name. */
  readonly to: CustomObject<S, T> | undefined;
}

/**
 * Two creates of one wire name in two namespaces do not conflict at the API server. So each lists the other objects
 * after its creation, and stays only if all others are younger for certain. Creation times are whole seconds, so two
 * creates within a second may both be undone, but never both stay. Not needed if the name belonged to the namespace
 * before. Undefined: the object stays.
 */
export async function resolveNameRace<S extends NamedSpec, T>(
  resource: Pick<Writable<S, T>, 'listLive' | 'undoCreate'>,
  { created, cached, claim }: NewObject<S, T>,
): Promise<Yielded<S, T> | undefined> {
  const { uid, namespace, creationTimestamp } = created.metadata;
  const wireName = wireNameOf(created);
  const namesakes = await Promise.all(
    objectNamesFor(wireName).map((name) => resource.listLive({ fieldSelector: `metadata.name=${name}` })),
  );
  const owner = claim()?.namespace;
  const isElsewhere = owner !== undefined && owner !== namespace;
  const to = [...namesakes.flat(), ...(cached ? [cached] : [])].find(
    ({ metadata, spec }) =>
      wireNameOf({ metadata, spec }) === wireName &&
      metadata.uid !== uid &&
      (isElsewhere ? metadata.namespace === owner : compareText(metadata.creationTimestamp, creationTimestamp) <= 0),
  );
  if (!to && !isElsewhere) return undefined;
  await resource.undoCreate(created);
  return { to };
}
