/** Deletes exactly the version of an object that was checked; a newer version is checked again. */
import { ClusterError, isClusterError } from '../../errors.ts';
import { type CustomObject, keyOf } from '../../model/object.ts';
import { type Annotations, type CallOptions, MAX_TRIES } from './change.ts';

export interface DeleteOptions<S, T> extends CallOptions {
  /** Precondition on each version to delete; throws to reject. */
  readonly expect?: (object: CustomObject<S, T>) => void;
  /** Asynchronous check of each version to delete, such as permissions; throws to reject. */
  readonly admit?: (object: CustomObject<S, T>) => Promise<void>;
  /** Annotations to write before the deletion, so that the DELETED event carries its author. */
  readonly stamp?: (object: CustomObject<S, T>) => Annotations;
}

interface Stamping extends Omit<CallOptions, 'dryRun'> {
  readonly annotations: Annotations;
}

export interface DeleteParts<S, T> {
  /** Deletes exactly this version; throws a conflict for another one. */
  readonly remove: (object: CustomObject<S, T>, options: CallOptions) => Promise<void>;
  /** Writes annotations to exactly this version; throws a conflict for another one. */
  readonly annotate: (object: CustomObject<S, T>, stamping: Stamping) => Promise<CustomObject<S, T>>;
  readonly live: (ref: CustomObject<S, T>['metadata'], signal?: AbortSignal) => Promise<CustomObject<S, T>>;
}

/**
 * Deletes an object. Retries after a concurrent write, such as a status update; throws if the name now has another uid.
 */
export async function deleteObject<S, T>(
  parts: DeleteParts<S, T>,
  found: CustomObject<S, T>,
  options: DeleteOptions<S, T>,
): Promise<void> {
  let object = found;
  for (let tries = 1; ; tries += 1) {
    await options.admit?.(object);
    options.expect?.(object);
    try {
      return await removeStamped(parts, object, options);
    } catch (error) {
      if (!isClusterError(error, 'conflict') || tries === MAX_TRIES) throw error;
    }
    object = await parts.live(found.metadata, options.signal);
    if (object.metadata.uid !== found.metadata.uid) {
      throw new ClusterError('not-found', `${keyOf(found.metadata)} was deleted and created again meanwhile`);
    }
  }
}

/**
 * Starts with a dry run, so that a rejected deletion leaves no stamp on the object. After the stamp is written the
 * deletion is not cancelled any more; it deletes exactly the stamped version.
 */
async function removeStamped<S, T>(
  { remove, annotate }: DeleteParts<S, T>,
  object: CustomObject<S, T>,
  { stamp, dryRun = false, signal, beforeSend }: DeleteOptions<S, T>,
): Promise<void> {
  const how = signal ? { signal } : {};
  const guarded = { ...how, beforeSend };
  if (dryRun || stamp) await remove(object, { ...guarded, dryRun: true });
  if (dryRun) return;
  if (stamp) await remove(await annotate(object, { ...guarded, annotations: stamp(object) }), how);
  else await remove(object, guarded);
}
