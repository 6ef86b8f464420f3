/** Takes a new object back where another namespace has the name, or an object of it that is not younger. */
import type { NameClaim } from '../domain/name-claims.ts';
import { compareText, objectNamesFor, wireNameOf } from '../domain/names.ts';
import type { CustomObject } from '../schema/object.ts';
import type { Writable } from './identity/written-by.ts';

interface Named {
  readonly name?: string | undefined;
}

export interface NewObject<S, T> {
  readonly created: CustomObject<S, T>;
  /** Who holds the name, as far as the cache knows. */
  readonly known: CustomObject<S, T> | undefined;
  /** Asked after the others were looked for: the namespace that the name belongs to. */
  readonly claim: () => NameClaim | undefined;
}

export interface Yielded<S, T> {
  /** Undefined: to a namespace in which no object has the name now. */
  readonly to: CustomObject<S, T> | undefined;
}

/**
 * Two creates of one wire name in two namespaces do not meet in AlreadyExists. So each looks for the other after
 * creating, and stays only if every other is younger for certain; creation times are whole seconds, so two of one second
 * may both give way, but never do both stay. An object whose name belonged to its namespace before needs none of this.
 * Undefined: it stays.
 */
export async function yieldToOthers<S extends Named, T>(
  resource: Pick<Writable<S, T>, 'listLive' | 'takeBack'>,
  { created, known, claim }: NewObject<S, T>,
): Promise<Yielded<S, T> | undefined> {
  const { uid, namespace, creationTimestamp } = created.metadata;
  const wireName = wireNameOf(created);
  const namesakes = await Promise.all(
    objectNamesFor(wireName).map((name) => resource.listLive({ fieldSelector: `metadata.name=${name}` })),
  );
  const owner = claim()?.namespace;
  const isElsewhere = owner !== undefined && owner !== namespace;
  const to = [...namesakes.flat(), ...(known ? [known] : [])].find(
    ({ metadata, spec }) =>
      wireNameOf({ metadata, spec }) === wireName &&
      metadata.uid !== uid &&
      (isElsewhere ? metadata.namespace === owner : compareText(metadata.creationTimestamp, creationTimestamp) <= 0),
  );
  if (!to && !isElsewhere) return undefined;
  await resource.takeBack(created);
  return { to };
}
