/** Writes a status where it says something new. */
import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from '../domain/verdict.ts';
import { again, done, type Outcome } from '../runtime/outcome.ts';
import type { CustomObject, Ref } from '../schema/object.ts';

/** What a reconciler needs of the kind that it judges. */
export interface Judged<S, T> {
  get(ref: Ref): CustomObject<S, T> | undefined;
  applyStatus(object: CustomObject<S, T>, status: T): Promise<unknown>;
}

/** Nothing is written when nothing changed. */
export async function report<S, T>(
  kind: Judged<S, T>,
  object: CustomObject<S, T>,
  { status, recheckInMs }: Verdict<T>,
): Promise<Outcome> {
  if (!isDeepStrictEqual(object.status, status)) await kind.applyStatus(object, status);
  return recheckInMs === undefined ? done : again(recheckInMs);
}
