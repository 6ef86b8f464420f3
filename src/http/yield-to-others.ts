/** Takes a new object back where another namespace has an older one, or one as old, under the same name on the wire. */
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
}

/**
 * Two creates of one wire name in two namespaces do not meet in AlreadyExists. So each looks for the other after
 * creating, and stays only if every other is younger for certain; creation times are whole seconds, so two of one second
 * may both give way, but never do both stay. Answers whom it has given way to.
 */
export async function yieldToOthers<S extends Named, T>(
  resource: Pick<Writable<S, T>, 'listLive' | 'takeBack'>,
  { created, known }: NewObject<S, T>,
): Promise<CustomObject<S, T> | undefined> {
  const { uid, creationTimestamp } = created.metadata;
  const wireName = wireNameOf(created);
  const namesakes = await Promise.all(
    objectNamesFor(wireName).map((name) => resource.listLive({ fieldSelector: `metadata.name=${name}` })),
  );
  const rival = [...namesakes.flat(), ...(known ? [known] : [])].find(
    (other) =>
      wireNameOf(other) === wireName &&
      other.metadata.uid !== uid &&
      compareText(other.metadata.creationTimestamp, creationTimestamp) <= 0,
  );
  if (rival) await resource.takeBack(created);
  return rival;
}
