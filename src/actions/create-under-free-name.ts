/** Creates an object under the first free object name for its wire name. */
import { objectNamesFor, wireNameOf } from '../domain/identity/names.ts';
import { isClusterError, Refusal } from '../errors.ts';
import type { Resource } from '../kube/write/resource.ts';
import type { CustomObject } from '../model/object.ts';

export interface NewResource<S> {
  readonly namespace: string;
  readonly wireName: string;
  /** The spec without the name. */
  readonly spec: S;
  readonly dryRun: boolean;
  /** The object name to try first, such as that of an earlier object. */
  readonly formerName?: string | undefined;
}

export interface Created<S, T> {
  readonly object: CustomObject<S, T>;
  /** False: another caller has created this object of the wire name. */
  readonly isNew: boolean;
}

interface NamedSpec {
  readonly name?: string | undefined;
}

/** If an object name belongs to another wire name, the next name is tried. */
export async function createUnderFreeName<S extends NamedSpec, T>(
  resource: Pick<Resource<S, T>, 'create' | 'live'>,
  { namespace, wireName, spec, dryRun, formerName }: NewResource<S>,
): Promise<Created<S, T>> {
  const names = [...(formerName === undefined ? [] : [formerName]), ...objectNamesFor(wireName)];
  for (const name of new Set(names)) {
    try {
      const named = { ...(name !== wireName && { name: wireName }), ...spec };
      return { object: await resource.create(namespace, { name, spec: named }, { dryRun }), isNew: true };
    } catch (error) {
      if (!isClusterError(error, 'name-taken')) throw error;
    }
    const found = await resource.live({ namespace, name }).catch(explainGone(wireName));
    if (wireNameOf(found) === wireName) return { object: found, isNew: false };
  }
  throw new Refusal('name-taken', `No object name is left for "${wireName}".`);
}

function explainGone(wireName: string) {
  return (error: unknown): never => {
    if (!isClusterError(error, 'not-found')) throw error;
    throw new Refusal('conflict', `The object with the name "${wireName}" was deleted just now. Try again.`);
  };
}
