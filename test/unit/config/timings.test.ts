/** The shipped waits and lifetimes, and the values that are refused. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { exponentialBackoff } from '../../../src/runtime/backoff.ts';

test('the values are the shipped ones: all other tests may inject smaller ones', () => {
  expect(loadConfig({}).timings).toEqual({
    // The lease allows several renewals before the deadline, and the deadline is well before the end of the lease.
    lease: { durationMs: 6_000, renewDeadlineMs: 4_500, retryPeriodMs: 1_000 },
    apiServerTimeoutMs: 30_000,
    reviewTimeoutMs: 5_000,
    accessCacheMs: 5_000,
    tokenWaitMs: 15_000,
    cloneWaitMs: 60_000,
    memberWaitMs: 10_000,
    importProgressMs: 1_000,
    claimDelayMs: 2_000,
    countDelayMs: 1_000,
    // The Node SDK, like common proxies, treats a connection as lost after 60 seconds of silence.
    streamKeepAliveMs: 20_000,
    auditBatchDelayMs: 50,
    usageRefreshMs: 300_000,
    usageFlushMs: 10_000,
    sinkTimeoutMs: 10_000,
    sinkRetryMaxMs: 60_000,
    sinkStatusMs: 10_000,
    watchRetryMaxMs: 5_000,
  });
});

test('a watch waits no longer than its cap, however long the API server was down', () => {
  const { watchRetryMaxMs } = loadConfig({}).timings;
  const longest = exponentialBackoff({ baseMs: 1_000, capMs: watchRetryMaxMs, random: () => 0.999999 });
  expect(Math.max(...Array.from({ length: 100 }, (_, failures) => longest(failures)))).toBeLessThanOrEqual(5_000);
});

test.each([
  ['4500ms', 4_500],
  ['20s', 20_000],
  ['2m', 120_000],
])('a wait of %s is %i ms', (value, want) => {
  expect(loadConfig({ VEXIL_TOKEN_WAIT: value }).timings.tokenWaitMs).toBe(want);
});

test.each(['15', '0s', '6m', '1.5s', '-1s', '1h', ' 1s'])('a wait of %j is refused', (value) => {
  const allowed = 'allowed: a whole number of milliseconds, seconds or minutes from 100ms to 5m';
  expect(() => loadConfig({ VEXIL_TOKEN_WAIT: value })).toThrow(`VEXIL_TOKEN_WAIT is "${value}"; ${allowed}`);
});

test('a lease lasts whole seconds, as its field in Kubernetes does', () => {
  expect(loadConfig({ VEXIL_LEASE_DURATION: '15s' }).timings.lease.durationMs).toBe(15_000);
  expect(() => loadConfig({ VEXIL_LEASE_DURATION: '5500ms' })).toThrow('VEXIL_LEASE_DURATION is "5500ms"');
});

test.each<[string, Record<string, string>, string]>([
  [
    'a renew deadline that is as long as the lease',
    { VEXIL_LEASE_RENEW_DEADLINE: '6s' },
    'VEXIL_LEASE_DURATION is 6000ms, and must be more than VEXIL_LEASE_RENEW_DEADLINE, which is 6000ms',
  ],
  [
    'a lease that is shorter than the default deadline',
    { VEXIL_LEASE_DURATION: '3s' },
    'VEXIL_LEASE_DURATION is 3000ms, and must be more than VEXIL_LEASE_RENEW_DEADLINE, which is 4500ms',
  ],
  [
    'renewals that come after the deadline',
    { VEXIL_LEASE_RETRY_PERIOD: '5s' },
    'VEXIL_LEASE_RENEW_DEADLINE is 4500ms, and must be more than VEXIL_LEASE_RETRY_PERIOD, which is 5000ms',
  ],
])('refuses %s', (_, environment, message) => {
  expect(() => loadConfig(environment)).toThrow(message);
});
