/** What a sink may carry of the history. */
import type { NotificationSink } from '../../schema/notification-sink.ts';
import { type Entry, judgedNow, type Namespaces } from '../history/entry.ts';
import { maskJsonText } from '../history/masked-addresses.ts';

/**
 * The entry as the owner of the sink may read it; undefined: not at all. A sink outside of the operator namespace
 * carries what belongs to projects of its namespace, also to deleted ones.
 */
export function carriedEntry(
  { metadata: { namespace }, spec }: NotificationSink,
  entry: Entry,
  namespaces: Namespaces,
): Entry | undefined {
  const now = judgedNow(entry, namespaces);
  if (namespace !== namespaces.home) return isOwned(now, namespace, namespaces) ? masked(now) : undefined;
  return spec.emailAddresses === 'Plain' ? now : masked(now);
}

function isOwned({ project, namespace: place }: Entry, namespace: string, { ofProject }: Namespaces): boolean {
  return project !== null && (ofProject(project) ?? place) === namespace;
}

function masked(entry: Entry): Entry {
  return JSON.parse(maskJsonText(JSON.stringify(entry)));
}
