/** Rules that follow one another: the first that holds decides. */
import type { Ramp } from '../../../src/schema/ramp.ts';
import type { Alternatives } from './alternatives.ts';

/** The user, for products that call it a key. */
export const DEFAULT_FIELD = 'userId';

/** The result of a rule: one variant, or several with weights. */
export interface Outcome {
  readonly shares: readonly { readonly variant: string; readonly weight: number }[];
  /** The context field that decides between several variants. */
  readonly stickiness: string;
}

/** The part of the users for whom a rule decides. The rules after it decide for the others. */
export interface Share {
  readonly percent: number;
  readonly stickiness: string;
  readonly ramp?: Ramp;
}

export interface TargetingRule {
  readonly when: Alternatives;
  /** The opposite of the condition; absent: that of its constraints. */
  readonly unless?: Alternatives | undefined;
  /** Absent: all users for whom the condition holds. */
  readonly share?: Share;
  /** Without shares, the flag is on and has no variant. */
  readonly outcome: Outcome;
  /** The flag is off for these users, whatever the outcome is. */
  readonly isOff?: boolean;
}

/** The values by the names of variants, for products whose flags are on or off. */
export const ON_OR_OFF: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
]);

export function totalWeight(shares: readonly { readonly weight: number }[]): number {
  return shares.reduce((sum, { weight }) => sum + weight, 0);
}

export function one(variant: string): Outcome {
  return { shares: [{ variant, weight: 1 }], stickiness: DEFAULT_FIELD };
}
