/** A write that bypasses a freeze. */
import type { Schemas } from '../api.generated.ts';

export type Freeze = NonNullable<Schemas['Environment']['freeze']>;

/** The permission for changes during a freeze. */
export const BYPASS_FREEZE = 'BYPASS_FREEZE';

/** A freeze that a change bypasses. */
export interface Bypass {
  /** The name of the environment for people. */
  readonly label: string;
  readonly freeze: Freeze;
}

/** The query parameter with the reason of a write. */
export function because(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
