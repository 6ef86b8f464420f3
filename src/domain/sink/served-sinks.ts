/** Which sinks are served: their number is bounded, for each tenant and for all. */
import type { NotificationSink } from '../../schema/notification-sink.ts';
import { compareText } from '../identity/names.ts';

export const MAX_SINKS = 100;
/** Outside of the operator namespace. */
export const MAX_SINKS_IN_NAMESPACE = 10;

/** The uids of the oldest sinks, within the limits. `home`: the operator namespace, whose sinks come first. */
export function servedSinks(all: Iterable<NotificationSink>, home: string): ReadonlySet<string> {
  const rank = ({ metadata: { namespace } }: NotificationSink) => (namespace === home ? 0 : 1);
  const sorted = [...all].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
      compareText(a.metadata.uid, b.metadata.uid),
  );
  const inNamespace = new Map<string, number>();
  const fitting = sorted.filter(({ metadata: { namespace } }) => {
    const before = inNamespace.get(namespace) ?? 0;
    inNamespace.set(namespace, before + 1);
    return namespace === home || before < MAX_SINKS_IN_NAMESPACE;
  });
  return new Set(fitting.slice(0, MAX_SINKS).map(({ metadata }) => metadata.uid));
}
