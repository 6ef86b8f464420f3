/** The traces of changes: each begins at the watch event on every replica, and the leader ends it. */
import { hash } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { type Attributes, type Context, type Link, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import { LRUCache } from 'lru-cache';
import type { AnyObject } from '../../model/object.ts';
import type { ChangePlace, Delivery, SeenChange } from '../tracing.ts';

/** Changes of this replica that may still get further spans. */
const MAX_CHANGES = 10_000;
/** The changes that a delivery looks at. */
const MAX_UNDELIVERED = 1_000;
/** The names of other kinds are those of people. */
const NAMED_KINDS: ReadonlySet<string> = new Set([
  ...['FeatureFlag', 'Project', 'Environment', 'Segment', 'StrategyDefinition'],
]);

export interface ChangeIds extends IdGenerator {
  /** The ids of the spans that `start` starts follow from this key, so that all replicas have the same. */
  with<T>(key: string, start: () => T): T;
}

export function createChangeIds(): ChangeIds {
  const random = new RandomIdGenerator();
  let fixed: string | undefined;
  return {
    generateTraceId: () => fixed?.slice(0, 32) ?? random.generateTraceId(),
    generateSpanId: () => fixed?.slice(32, 48) ?? random.generateSpanId(),
    with(key, start) {
      fixed = hash('sha256', key);
      try {
        return start();
      } finally {
        fixed = undefined;
      }
    },
  };
}

/** The change that an object has got last. */
interface Latest {
  readonly context: Context;
  readonly generation: number | undefined;
}

/** The trace of a change, as far as this replica knows it. */
interface Begun extends Latest {
  readonly root: Span;
  readonly order: number;
  readonly startedAt: number;
  /** The span of the history. */
  recording: Span | undefined;
}

export interface ChangeSpans {
  begin(change: SeenChange): void;
  /** The change that gave the object its generation, until a status says that it was judged. */
  contextOf(object: AnyObject): Context | undefined;
  contextAt(place: ChangePlace): Context | undefined;
  /** The leader ends the trace. */
  recorded(places: readonly ChangePlace[]): void;
  delivered(streams: string, delivery: Delivery): void;
}

export function createChangeSpans(tracer: Tracer, ids: ChangeIds): ChangeSpans {
  const changes = new LRUCache<string, Begun>({ max: MAX_CHANGES });
  /** By uid; also those that are not kept, so that the reconcile of such a change is no trace of its own. */
  const last = new LRUCache<string, Latest>({ max: MAX_CHANGES });
  const delivered = new Map<string, number>();
  /** What the history had before the cache of this replica. */
  const early = new LRUCache<string, true>({ max: MAX_CHANGES });
  const undelivered: Begun[] = [];
  let order = 0;

  const find = ({ uid, toVersion }: ChangePlace) => changes.get(`${uid}/${toVersion}`) ?? changes.get(goneKey(uid));
  return {
    begin(change) {
      if (!isChange(change)) return;
      const seen = seenOf(change);
      if (changes.has(seen.key)) return;
      order += 1;
      const root = ids.with(seen.key, () => startRoot(tracer, change, seen));
      const latest = { context: trace.setSpan(ROOT_CONTEXT, root), generation: seen.generation };
      last.set(seen.object.metadata.uid, latest);
      if (!root.isRecording()) return;
      const recording = tracer.startSpan('record', {}, latest.context);
      const begun = { ...latest, root, order, startedAt: Date.now(), recording };
      changes.set(seen.key, begun);
      undelivered.push(begun);
      if (undelivered.length > MAX_UNDELIVERED) undelivered.shift();
      if (early.delete(seen.key)) end(begun);
    },
    contextOf({ metadata: { uid, generation }, status }) {
      const found = last.get(uid);
      const { observedGeneration } = (status ?? {}) as { readonly observedGeneration?: unknown };
      return found?.generation === generation && observedGeneration !== generation ? found.context : undefined;
    },
    contextAt: (place) => find(place)?.context,
    recorded(places) {
      for (const place of places) {
        const begun = find(place);
        if (begun) end(begun);
        else early.set(`${place.uid}/${place.toVersion}`, true);
      }
    },
    delivered(streams, { visited, tookMs, since }) {
      const from = delivered.get(streams) ?? 0;
      const until = Date.now() - tookMs;
      const sent = undelivered.filter(({ order: at, startedAt }) => at > from && startedAt <= until);
      delivered.set(streams, sent.at(-1)?.order ?? from);
      const attributes = { 'vexil.streams': visited };
      for (const { context, startedAt } of sent) {
        if (visited === 0 || startedAt < since) continue;
        tracer.startSpan(`send to ${streams}`, { startTime: startedAt, attributes }, context).end();
      }
    },
  };
}

function end(begun: Begun): void {
  begun.recording?.end();
  begun.recording = undefined;
  if (begun.root.isRecording()) begun.root.end();
}

function goneKey(uid: string): string {
  return `${uid}/gone`;
}

/** A status that is written changes nothing that anybody wants to follow. */
function isChange({ before, after }: SeenChange): boolean {
  return before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation;
}

/** The object after the change, or before it is gone. */
interface Seen {
  readonly key: string;
  readonly object: AnyObject;
  /** Undefined: the object is gone. */
  readonly generation: number | undefined;
}

function seenOf({ before, after }: SeenChange): Seen {
  if (after) {
    const { uid, resourceVersion, generation } = after.metadata;
    return { key: `${uid}/${resourceVersion}`, object: after, generation };
  }
  if (!before) throw new Error('a change has an object');
  return { key: goneKey(before.metadata.uid), object: before, generation: undefined };
}

function startRoot(tracer: Tracer, { kind, cause }: SeenChange, { object, generation }: Seen): Span {
  const { namespace, name } = object.metadata;
  const isGone = generation === undefined;
  const attributes: Attributes = {
    'k8s.namespace.name': namespace,
    'vexil.kind': kind,
    ...(NAMED_KINDS.has(kind) && { 'vexil.name': name }),
    ...(generation !== undefined && { 'vexil.generation': generation }),
  };
  const links = linksTo(cause);
  return tracer.startSpan(
    `${isGone ? 'delete' : 'change'} ${kind}`,
    { root: true, kind: SpanKind.CONSUMER, attributes, links },
    ROOT_CONTEXT,
  );
}

function linksTo(traceparent: string | undefined): Link[] {
  const context = traceparent === undefined ? null : parseTraceParent(traceparent);
  return context ? [{ context: { ...context, isRemote: true } }] : [];
}
