/** The metrics of work queues, with the names of client-go. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { MeasureGauge } from './gauges.ts';

export interface QueueState {
  /** How many keys wait for a worker. */
  readonly depth: number;
  /** How long each present run has taken so far. */
  readonly runningMs: readonly number[];
}

/** Receives what a queue reports. */
export interface QueueObserver {
  /** A key becomes due that was not due yet. */
  added(): void;
  /** A worker has got a key that had been due for this time. */
  started(priority: string, waitedMs: number): void;
  /** The run of a key has ended after this time. */
  done(workedMs: number): void;
  /** The run of a key failed. */
  retried(): void;
  /** Sets the function that reads the state of the queue from now on. */
  observe(read: () => QueueState): void;
}

/** The buckets of client-go, but from a millisecond up: shorter waits do not matter. */
const QUEUE_SECONDS = [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Makes the observer of the queue of each kind. A new queue of the same kind replaces the previous one. */
export function queueMetrics(registry: Registry, measure: MeasureGauge): (kind: string) => QueueObserver {
  const registers = [registry];
  const adds = new Counter({
    name: 'vexil_queue_adds_total',
    help: 'Objects that became due for a reconcile, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const retries = new Counter({
    name: 'vexil_queue_retries_total',
    help: 'Objects whose reconcile failed and that are tried again after a backoff, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const waited = new Histogram({
    name: 'vexil_queue_duration_seconds',
    help: 'Time that objects wait between being due and their reconcile. Priority low: a start, or a change that concerns many objects.',
    labelNames: ['kind', 'priority'],
    buckets: QUEUE_SECONDS,
    registers,
  });
  const worked = new Histogram({
    name: 'vexil_queue_work_duration_seconds',
    help: 'Time from the begin of a reconcile to its end, by kind.',
    labelNames: ['kind'],
    buckets: QUEUE_SECONDS,
    registers,
  });
  const states = stateGauges(measure);
  return (kind) => ({
    added: () => adds.inc({ kind }),
    started: (priority, waitedMs) => waited.observe({ kind, priority }, waitedMs / 1000),
    done: (workedMs) => worked.observe({ kind }, workedMs / 1000),
    retried: () => retries.inc({ kind }),
    observe: (read) => void states.set(kind, read),
  });
}

function stateGauges(measureGauge: MeasureGauge): Map<string, () => QueueState> {
  const states = new Map<string, () => QueueState>();
  const measure = (name: string, help: string, read: (state: QueueState) => number) =>
    measureGauge({ name, help, labelNames: ['kind'] }, () =>
      [...states].map(([kind, stateOf]) => ({ labels: { kind }, value: read(stateOf()) })),
    );
  const secondsOf = (ms: number) => ms / 1000;
  measure('vexil_queue_depth', 'Objects that wait for a free worker, by kind.', ({ depth }) => depth);
  measure(
    'vexil_queue_unfinished_work_seconds',
    'Time that the present reconciles have taken so far, added up. A value that keeps rising shows reconciles that hang.',
    ({ runningMs }) => secondsOf(runningMs.reduce((sum, ms) => sum + ms, 0)),
  );
  measure(
    'vexil_queue_longest_running_processor_seconds',
    'Time that the longest of the present reconciles has taken so far.',
    ({ runningMs }) => secondsOf(Math.max(0, ...runningMs)),
  );
  return states;
}
