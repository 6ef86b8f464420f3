/** Bounds the age of requests that are read now: the kernel accepts requests while the process is paused. */

export interface Arrivals {
  /** In ms, by a clock that includes pauses of the process and suspends of the machine. */
  now(): number;
  /** The earliest time at which a request that is read now can have arrived. */
  earliest(): number;
}

const TICK_MS = 500;
/** A longer time between two ticks is a pause. */
const PAUSE_MS = 2 * TICK_MS;
/** Requests that arrive during a pause are read within this time after it. */
const BACKLOG_MS = 1_000;

/** Follows the pauses of this process until the signal aborts. */
export function followArrivals(now: () => number, signal: AbortSignal): Arrivals {
  let tickedAt = now();
  let pause = { from: tickedAt, until: Number.NEGATIVE_INFINITY };
  // After a pause, sockets may be read before timers fire, so each call of `earliest` is a tick too.
  const tick = (): number => {
    const at = now();
    if (at - tickedAt > PAUSE_MS) pause = { from: tickedAt, until: at };
    tickedAt = at;
    return at;
  };
  const timer = setInterval(tick, TICK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    now,
    earliest() {
      const at = tick();
      return at - pause.until <= BACKLOG_MS ? pause.from : at;
    },
  };
}
