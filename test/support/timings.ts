/** Timings for operators of tests that wait for them. test/unit/config/timings.test.ts pins the shipped ones. */

/** A Lease that another replica can acquire after four seconds, and that its holder keeps on a busy machine. */
export const QUICK_LEASE = {
  VEXIL_LEASE_DURATION: '4s',
  VEXIL_LEASE_RENEW_DEADLINE: '3s',
  VEXIL_LEASE_RETRY_PERIOD: '300ms',
};

/** A Lease that never moves while its holder runs, because it lasts longer than the tests that use it wait. */
export const LONG_LEASE = { VEXIL_LEASE_DURATION: '60s', VEXIL_LEASE_RENEW_DEADLINE: '45s' };

/** Watches that reconnect within a second. */
export const QUICK_WATCH = { VEXIL_WATCH_RETRY_MAX: '1s' };

/** Counts in statuses that follow at once. */
export const QUICK_COUNTS = { VEXIL_COUNT_DELAY: '50ms' };
