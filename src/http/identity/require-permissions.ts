/** Refuses whoever may not do what they ask for. */
import { AppError } from '../../errors.ts';
import type { Ask, Caller } from './caller.ts';

/** Whoever may not do it learns nothing of what they have sent. */
export function requirePermissions(caller: Caller, asks: readonly Ask[]): Promise<void> {
  return throwRefusals(asks.map((ask) => caller.refusal(ask)));
}

/** Each reason once. */
export async function throwRefusals(verdicts: readonly Promise<string | undefined>[]): Promise<void> {
  const refusals = await Promise.all(verdicts);
  const refused = new Set(refusals.filter((one) => one !== undefined));
  if (refused.size > 0) throw new AppError('forbidden', [...refused].join(' '));
}
