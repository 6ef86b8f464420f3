/** The list of upstreams: the present one, and the next one when it fails. */
import type { Logger } from '../telemetry/logger.ts';
import type { Upstream } from './upstream/upstream.ts';

export interface ChosenUpstream {
  readonly upstream: Upstream;
  /** Aborts when another upstream is chosen. */
  readonly signal: AbortSignal;
}

export interface Upstreams {
  present(): ChosenUpstream;
  /** The next upstream is the present one, unless that has happened already. */
  leave(upstream: Upstream): void;
  /** The present upstream was read. */
  confirm(): void;
  readonly count: number;
}

export function createUpstreams(list: readonly [Upstream, ...Upstream[]], logger: Logger): Upstreams {
  let index = 0;
  let leaving = new AbortController();
  /** Since an upstream was read. */
  let left = 0;
  const at = (place: number): Upstream => list[place % list.length] ?? list[0];
  return {
    count: list.length,
    present: () => ({ upstream: at(index), signal: leaving.signal }),
    leave(upstream) {
      if (list.length === 1 || at(index) !== upstream) return;
      index += 1;
      left += 1;
      // While all are away, each is tried again and again.
      const level = left <= list.length ? 'warn' : 'debug';
      logger[level]({ from: upstream.name, to: at(index).name }, 'upstream: failed, the next one is used');
      const before = leaving;
      leaving = new AbortController();
      before.abort(new Error('another upstream is used'));
    },
    confirm() {
      left = 0;
    },
  };
}
