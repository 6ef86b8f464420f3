/** Refuses callers without the required permissions. */
import { Refusal } from '../../errors.ts';
import type { AccessRequest, Caller } from '../caller.ts';

/** Called before input is checked, so that a caller without permission learns nothing from the answer. */
export function requirePermissions(caller: Caller, requires: readonly AccessRequest[]): Promise<void> {
  return throwRefusals(requires.map((ask) => caller.refusal(ask)));
}

/** Throws one error with each reason once. */
export async function throwRefusals(verdicts: readonly Promise<string | undefined>[]): Promise<void> {
  if (verdicts.length === 0) return;
  const refusals = await Promise.all(verdicts);
  const refused = new Set(refusals.filter((one) => one !== undefined));
  if (refused.size > 0) throw new Refusal('forbidden', [...refused].join(' '));
}
