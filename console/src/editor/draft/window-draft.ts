/** The draft of the window of a flag in an environment. */
import type { Schemas } from '../../api.generated.ts';
import { draftOfTime, type TimeDraft, timeOf, timeProblem } from './time-draft.ts';

export interface WindowDraft {
  readonly from: TimeDraft;
  readonly until: TimeDraft;
}

export function draftOfWindow({
  activeFrom,
  activeUntil,
}: Pick<Schemas['FeatureEnvironment'], 'activeFrom' | 'activeUntil'>): WindowDraft {
  return { from: draftOfTime(activeFrom), until: draftOfTime(activeUntil) };
}

export function windowOf({ from, until }: WindowDraft): Schemas['FeatureWindow'] {
  return { activeFrom: timeOf(from) ?? null, activeUntil: timeOf(until) ?? null };
}

/** Returns why the draft cannot be sent; undefined if it can. */
export function windowProblem(draft: WindowDraft): string | undefined {
  const { activeFrom, activeUntil } = windowOf(draft);
  const isReversed = activeFrom && activeUntil && Date.parse(activeFrom) >= Date.parse(activeUntil);
  return timeProblem(draft.from, draft.until) ?? (isReversed ? 'The window must end after it begins.' : undefined);
}
