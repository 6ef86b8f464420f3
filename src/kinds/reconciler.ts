/** Reconciles the status of an object, or removes it. */
import type { CustomObject, Ref } from '../model/object.ts';
import { done, type Outcome } from '../runtime/outcome.ts';
import { nextTurn } from '../runtime/turns.ts';
import type { EventContent } from '../schema/event.ts';
import type { Logger } from '../telemetry/logger.ts';
import { applyStatusIfChanged, type Judged } from './apply-status.ts';
import type { Judge } from './definition.ts';

interface ReconcilerParts<S, T> {
  readonly resource: Judged<S, T>;
  readonly judge: Judge<S, T>;
  readonly publish: Publish<S, T>;
}

/** Publishes an Event about an object. A failure is only logged. */
export type Publish<S, T> = (object: CustomObject<S, T>, content: EventContent, logger: Logger) => Promise<void>;

/** An object that is gone or being deleted needs no status. */
export function reconciler<S, T>({ resource, judge, publish }: ReconcilerParts<S, T>) {
  return async function reconcile(ref: Ref, logger: Logger): Promise<Outcome> {
    const object = resource.get(ref);
    if (!object || object.metadata.deletionTimestamp) return done;
    const verdict = await judge(object, (content) => publish(object, content, logger));
    // To compare and to send the status of a large object takes long, too.
    await nextTurn();
    if (verdict.removal === undefined) return applyStatusIfChanged(resource, object, verdict);
    await resource.remove(object, verdict.removal);
    logger.info({ reason: verdict.removal }, 'reconcile: removed');
    return done;
  };
}
