/** The wiring of the advice that follows from the use of flags, which each replica keeps in memory. */
import { systemClock } from '../runtime/clock.ts';
import { createKnownUsage, type KnownUsage } from '../usage/known-usage.ts';
import type { UsageReader } from '../usage/usage.ts';
import { createUsageAdvice, type UsageAdvice } from '../usage/usage-advice.ts';
import type { Wiring } from './history.ts';

export interface WiredUsageAdvice {
  readonly reader: UsageReader;
  readonly known: KnownUsage;
  readonly advice: UsageAdvice;
  readonly usageConditions: UsageAdvice['conditionsOf'];
}

export function wireUsageAdvice({ config, catalog, cluster, logger }: Wiring, reader: UsageReader): WiredUsageAdvice {
  const { flags } = cluster.caches;
  const known = createKnownUsage({
    reader,
    flagUids: () => Iterator.from(flags.all()).map(({ metadata }) => metadata.uid),
    refreshMs: config.timings.usageRefreshMs,
    clock: systemClock,
    now: Date.now,
    onFailure: (error) => logger.debug({ error }, 'usage: cannot read when flags were asked for'),
  });
  const advice = createUsageAdvice({ catalog, known, staleDays: config.staleDays, now: Date.now });
  return { reader, known, advice, usageConditions: advice.conditionsOf };
}
