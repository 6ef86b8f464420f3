/** Deletes exactly the version of an object that was looked at; a newer one is looked at again. */
import { AppError, isAppError } from '../errors.ts';
import { type CustomObject, keyOf } from '../schema/object.ts';
import type { Annotations } from './change.ts';
import type { BeforeSend } from './transport.ts';

export interface DeleteOptions<S, T> {
  /** Called with each version that is about to be deleted; throws to refuse. */
  readonly expect?: (object: CustomObject<S, T>) => void;
  /** As `expect`, for what takes time to find out. */
  readonly admit?: (object: CustomObject<S, T>) => Promise<void>;
  readonly dryRun?: boolean;
  /** Annotations to write before the object goes, so that whoever sees it go can tell by whom. */
  readonly stamp?: (object: CustomObject<S, T>) => Annotations;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

interface RemoveOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly beforeSend?: BeforeSend | undefined;
}

interface Stamping extends Omit<RemoveOptions, 'dryRun'> {
  readonly annotations: Annotations;
}

export interface DeleteParts<S, T> {
  /** Deletes this version, or throws a conflict. */
  readonly remove: (object: CustomObject<S, T>, options: RemoveOptions) => Promise<void>;
  /** Writes annotations to this version, or throws a conflict. */
  readonly annotate: (object: CustomObject<S, T>, stamping: Stamping) => Promise<CustomObject<S, T>>;
  readonly live: (ref: CustomObject<S, T>['metadata'], signal?: AbortSignal) => Promise<CustomObject<S, T>>;
}

const MOST_TRIES = 6;

/** A write to the object meanwhile, be it a status, is no reason to give up; another object under its name is. */
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
      if (!isAppError(error, 'conflict') || tries === MOST_TRIES) throw error;
    }
    object = await parts.live(found.metadata, options.signal);
    if (object.metadata.uid !== found.metadata.uid) {
      throw new AppError('not-found', `${keyOf(found.metadata)} was deleted and created anew meanwhile`);
    }
  }
}

/**
 * Tried first: of a deletion that is refused, no stamp must stay on an object that lives on. For the same reason a
 * deletion has begun once the object is stamped; it takes exactly the version that was stamped, and nothing newer.
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
