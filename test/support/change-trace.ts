/** The trace of a change, among the spans that a receiver has got. */
import { expect } from 'vitest';
import type { ReceivedSpan, TraceReceiver } from './trace-receiver.ts';

interface ChangedFlag {
  readonly flag: string;
  /** The one that the change made. */
  readonly generation: number;
}

/** All spans of the trace of one of them. */
export function traceWith({ spans }: TraceReceiver, isOne: (span: ReceivedSpan) => boolean): readonly ReceivedSpan[] {
  const found = spans.find(isOne);
  return spans.filter(({ traceId }) => traceId === found?.traceId);
}

export function spanNamed(spans: readonly ReceivedSpan[], name: string): ReceivedSpan | undefined {
  return spans.find((span) => span.name === name);
}

/** The trace of a change, once it has all these spans. It is one: each span but the first is below another one. */
export async function changeTrace(
  receiver: TraceReceiver,
  { flag, generation }: ChangedFlag,
  names: readonly string[],
): Promise<readonly ReceivedSpan[]> {
  const isRoot = ({ name, attributes }: ReceivedSpan) =>
    name === 'change FeatureFlag' && attributes['vexil.name'] === flag && attributes['vexil.generation'] === generation;
  const missing = () => names.filter((name) => spanNamed(traceWith(receiver, isRoot), name) === undefined);
  await expect.poll(missing).toEqual([]);
  const roots = () => {
    const spans = traceWith(receiver, isRoot);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    return spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId)).map(({ name }) => name);
  };
  await expect.poll(roots).toEqual(['change FeatureFlag']);
  return traceWith(receiver, isRoot);
}
