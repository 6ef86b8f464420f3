/** What traces need to know of a program. A change of an object is one trace, from its watch event to its readers. */
import type { AnyObject } from '../model/object.ts';

export interface Tracing {
  /**
   * Calls `next` in the span of a request of the admin API. Returns how to end it. A request that only reads has a span
   * only in the trace of its caller. `traceparent` is the header of the caller (W3C Trace Context).
   */
  request(incoming: IncomingRequest, next: () => void): (answered: AnsweredSpan) => void;
  /** The `traceparent` of the running span; undefined: there is none, or it is not sampled. */
  current(): string | undefined;
  /** Reports a call to the API server that has ended, as a part of the running span. */
  called(call: EndedCall): void;
  /** A change that the cache of this replica has seen: the trace of the change begins. */
  changed(change: SeenChange): void;
  /** Runs a reconcile as a part of the change that it is the first one for. One that calls nothing leaves no span. */
  reconcile<T>(run: ReconcileRun, task: () => Promise<T>): Promise<T>;
  /** The history has these entries: the trace of a change ends. */
  recorded(entries: readonly ChangePlace[]): void;
  /** Runs a task as a part of the trace of a change. */
  step<T>(step: TracedStep, task: () => Promise<T>): Promise<T>;
  /** Returns the function to call when all of these streams have been sent what had changed. */
  deliveries(streams: string): (delivery: Delivery) => void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface IncomingRequest {
  readonly method: string;
  readonly traceparent: string | undefined;
}

export interface AnsweredSpan {
  /** The template of the path; undefined: no endpoint served the request. */
  readonly route: string | undefined;
  readonly status: number;
}

export interface EndedCall {
  readonly method: string;
  /** `featureflags`, `featureflags/status`, …: no object names, so that metrics have few label values. */
  readonly resource: string;
  /** 0: there was no answer. */
  readonly status: number;
  readonly durationMs: number;
}

export interface SeenChange {
  readonly kind: string;
  /** Absent: the object is new. */
  readonly before?: AnyObject;
  /** Absent: the object is gone. */
  readonly after?: AnyObject;
  /** The `traceparent` of the request of the admin API that made the change. */
  readonly cause: string | undefined;
}

export interface ReconcileRun {
  readonly kind: string;
  /** Undefined: the object is gone. */
  readonly object: AnyObject | undefined;
}

/** A version that an object got by a change; see `StepPlace`. */
export interface ChangePlace {
  readonly uid: string;
  readonly toVersion: string;
}

export interface TracedStep extends ChangePlace {
  readonly name: string;
}

export interface Delivery {
  /** How many streams were visited. */
  readonly visited: number;
  readonly tookMs: number;
  /** When the first of them was opened, in ms since 1970: what changed before was in its first event. */
  readonly since: number;
}

const nothing = (): void => undefined;

/** Traces nothing. */
export const untraced: Tracing = {
  request(_incoming, next) {
    next();
    return nothing;
  },
  current: () => undefined,
  called: nothing,
  changed: nothing,
  reconcile: (_run, task) => task(),
  recorded: nothing,
  step: (_step, task) => task(),
  deliveries: () => nothing,
  stop: async () => undefined,
};

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Whether the variables of OpenTelemetry name a place for traces. */
export function isTracingWanted(env: EnvironmentVariables): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = env;
  if (disabled?.toLowerCase() === 'true' || (exporter || 'otlp') !== 'otlp') return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT']);
}
