/** The Event about an object whose condition Ready changes. */
import type { Condition } from '../../schema/condition.ts';
import type { EventContent } from '../../schema/event.ts';

interface WithConditions {
  readonly conditions?: readonly Condition[] | undefined;
}

/**
 * Undefined if Ready does not change, or a good object gets its first status. The occurrence follows from the previous
 * status, so an operator that ends before it has written the new status publishes the same Event again.
 */
export function readyTransition(before: WithConditions | undefined, after: WithConditions): EventContent | undefined {
  const [was, is] = [readyIn(before), readyIn(after)];
  if (!is || is.status === (was?.status ?? 'True')) return undefined;
  const type = is.status === 'True' ? 'Normal' : 'Warning';
  const occurrence = `Ready ${is.status} after ${was?.lastTransitionTime ?? 'creation'}`;
  return { type, reason: is.reason, note: is.message, occurrence };
}

function readyIn(status: WithConditions | undefined): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
