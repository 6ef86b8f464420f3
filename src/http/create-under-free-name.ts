/** Creates an object of a wire name under the first object name that is free for it. */
import { objectNamesFor, wireNameOf } from '../domain/names.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Resource } from '../kube/resource.ts';
import type { CustomObject } from '../schema/object.ts';

export interface Unborn<S> {
  readonly namespace: string;
  readonly wireName: string;
  /** Without its name. */
  readonly spec: S;
  readonly dryRun: boolean;
}

export interface Born<S, T> {
  readonly object: CustomObject<S, T>;
  /** False: someone else has created an object of this wire name, this one. */
  readonly isNew: boolean;
}

interface Named {
  readonly name?: string | undefined;
}

/** An object of that name may belong to another wire name; then the next name is tried. */
export async function createUnderFreeName<S extends Named, T>(
  resource: Pick<Resource<S, T>, 'create' | 'live'>,
  { namespace, wireName, spec, dryRun }: Unborn<S>,
): Promise<Born<S, T>> {
  for (const name of objectNamesFor(wireName)) {
    try {
      const named = { ...(name !== wireName && { name: wireName }), ...spec };
      return { object: await resource.create(namespace, { name, spec: named }, { dryRun }), isNew: true };
    } catch (error) {
      if (!isAppError(error, 'name-taken')) throw error;
    }
    const found = await resource.live({ namespace, name }).catch(explainGone(wireName));
    if (wireNameOf(found) === wireName) return { object: found, isNew: false };
  }
  throw new AppError('name-taken', `No object name is left for "${wireName}".`);
}

function explainGone(wireName: string) {
  return (error: unknown): never => {
    if (!isAppError(error, 'not-found')) throw error;
    throw new AppError('conflict', `What had the name "${wireName}" was deleted just now. Try again.`);
  };
}
