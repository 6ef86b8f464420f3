/** Whether the edge has the flags that its callers ask for. */
import type { Readiness } from '../http/edge-app.ts';
import type { SubscriptionState } from './subscriptions.ts';

interface ReadinessRule {
  /** What is missing in addition to states. */
  readonly missing: readonly string[];
  /** In ms since 1970. */
  readonly now: number;
  readonly maxStalenessMs: number | undefined;
}

export function readinessOf(scopes: readonly SubscriptionState[], wanted: ReadinessRule): Readiness {
  const { missing, now, maxStalenessMs } = wanted;
  const ofScopes = scopes.flatMap(({ source, goodAt }) => {
    if (goodAt === undefined) return [`the flags of ${source.environment} are not known yet`];
    if (maxStalenessMs === undefined || now - goodAt <= maxStalenessMs) return [];
    return [`the flags of ${source.environment} are those of ${new Date(goodAt).toISOString()}`];
  });
  const reasons = [...missing, ...ofScopes];
  return { isReady: reasons.length === 0, reasons };
}

/** The age of each state, for metrics; a state that is not there is as old as time. */
export function ages(scopes: readonly SubscriptionState[]) {
  return scopes.map(({ source: { environment }, goodAt = 0 }) => ({
    labels: { environment },
    value: (Date.now() - goodAt) / 1000,
  }));
}

/** The time at which all states were good, in ms since 1970; undefined if there is none yet. */
export function oldestGoodAt(scopes: readonly SubscriptionState[]): number | undefined {
  const times = scopes.flatMap(({ goodAt }) => goodAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}
