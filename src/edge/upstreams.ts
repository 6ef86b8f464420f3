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
  readonly count: number;
}

export function createUpstreams(list: readonly [Upstream, ...Upstream[]], logger: Logger): Upstreams {
  let index = 0;
  let leaving = new AbortController();
  const at = (place: number): Upstream => list[place % list.length] ?? list[0];
  return {
    count: list.length,
    present: () => ({ upstream: at(index), signal: leaving.signal }),
    leave(upstream) {
      if (list.length === 1 || at(index) !== upstream) return;
      index += 1;
      logger.warn({ from: upstream.name, to: at(index).name }, 'upstream: failed, the next one is used');
      const left = leaving;
      leaving = new AbortController();
      left.abort(new Error('another upstream is used'));
    },
  };
}
