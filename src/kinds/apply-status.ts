/** Applies a status if it differs. */
import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from '../domain/judgement/verdict.ts';
import { newDuplicate, type WithProblems } from '../domain/name-claims/name-findings.ts';
import type { CustomObject, Ref } from '../model/object.ts';
import { again, done, type Outcome } from '../runtime/outcome.ts';
import type { EventContent } from '../schema/event.ts';

/** What a reconciler needs of the kind that it judges. */
export interface Judged<S, T> {
  get(ref: Ref): CustomObject<S, T> | undefined;
  applyStatus(object: CustomObject<S, T>, status: T): Promise<unknown>;
  /** Deletes exactly this version. */
  remove(object: CustomObject<S, T>, reason: string): Promise<unknown>;
}

/** Publishes an Event about the reconciled object. An Event that cannot be published must not delay anything. */
export type Report = (content: EventContent) => Promise<void>;

/** Publishes that another object wants the same name, before the status reports it. */
export async function publishDuplicate<S, T extends WithProblems>(
  object: CustomObject<S, T>,
  status: T,
  report: Report,
): Promise<void> {
  const note = newDuplicate(object.status, status);
  if (note !== undefined) await report({ type: 'Warning', reason: 'DuplicateName', note });
}

/** Writes nothing if nothing changed. */
export async function applyStatusIfChanged<S, T>(
  kind: Judged<S, T>,
  object: CustomObject<S, T>,
  { status, recheckInMs }: Verdict<T>,
): Promise<Outcome> {
  if (!isDeepStrictEqual(object.status, status)) await kind.applyStatus(object, status);
  return recheckInMs === undefined ? done : again(recheckInMs);
}
