/** The usage services that endpoints need. */
import type { KnownUsage } from '../../usage/known-usage.ts';
import type { UsageReader } from '../../usage/usage.ts';
import type { UsageAdvice } from '../../usage/usage-advice.ts';

export interface UsageServices {
  readonly reader: UsageReader;
  readonly known: Pick<KnownUsage, 'unknown' | 'measured'>;
  readonly advice: UsageAdvice;
}
