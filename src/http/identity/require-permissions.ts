/** Refuses whoever may not do what they ask for. */
import { AppError } from '../../errors.ts';
import type { Ask, Caller } from './caller.ts';

/** Whoever may not do it learns nothing of what they have sent. */
export async function requirePermissions(caller: Caller, asks: readonly Ask[]): Promise<void> {
  const refusals = await Promise.all(asks.map((ask) => caller.refusal(ask)));
  const refused = new Set(refusals.filter((one) => one !== undefined));
  if (refused.size > 0) throw new AppError('forbidden', [...refused].join(' '));
}
