/** The wiring of the advice that follows from the use of flags, which each replica keeps in memory. */
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

export function wireUsageAdvice(wiring: Wiring, reader: UsageReader): WiredUsageAdvice {
  const { config, catalog, cluster, logger } = wiring;
  const { clock, wallTime: now } = wiring.machine;
  const { flags } = cluster.caches;
  const known = createKnownUsage({
    reader,
    flagUids: () => Iterator.from(flags.all()).map(({ metadata }) => metadata.uid),
    refreshMs: config.timings.usageRefreshMs,
    ...{ clock, now },
    onFailure: (error) => logger.debug({ error }, 'usage: cannot read when flags were asked for'),
  });
  const advice = createUsageAdvice({ catalog, known, staleDays: config.staleDays, now });
  return { reader, known, advice, usageConditions: advice.conditionsOf };
}
