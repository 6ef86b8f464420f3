/** The objects that a caller may read. */
import type { Access } from '../../kube/api/reviews.ts';
import type { Ref } from '../../model/object.ts';
import type { Caller } from '../caller.ts';

interface ReadRequest<T> {
  readonly caller: Caller;
  /** The plural of the kind. */
  readonly resource: string;
  readonly refOf: (object: T) => Ref;
}

/**
 * The readable objects, in their order. A caller who may read all objects of a namespace needs no review for each of
 * them.
 */
export async function readableObjects<T>(
  objects: readonly T[],
  { caller, resource, refOf }: ReadRequest<T>,
): Promise<readonly T[]> {
  const mayRead = async (place: Omit<Access, 'verb' | 'resource'>) => {
    const accesses = [{ verb: 'get', resource, ...place }];
    return (await caller.refusal({ permission: 'NONE', accesses })) === undefined;
  };
  const namespaces = [...new Set(objects.map((one) => refOf(one).namespace))];
  const whole = new Set(await picked(namespaces, (namespace) => mayRead({ namespace })));
  return picked(objects, async (one) => {
    const { namespace, name } = refOf(one);
    return whole.has(namespace) || mayRead({ namespace, name });
  });
}

export async function picked<T>(all: readonly T[], isWanted: (one: T) => Promise<boolean>): Promise<T[]> {
  const verdicts = await Promise.all(all.map(isWanted));
  return all.filter((_, index) => verdicts[index]);
}
