/** The notification sinks that a caller may see: those that carry nothing but what the caller may read. */
import { wireNameOf } from '../../domain/identity/names.ts';
import type { NotificationSink } from '../../schema/notification-sink.ts';
import type { Known } from '../authorization/requirements.ts';
import type { Caller } from '../caller.ts';
import { readableProjects } from './readable-objects.ts';
import { mayReadWholeHistory } from './visible-history.ts';

/** A sink outside of the operator namespace carries the entries of every project of its namespace. */
export async function readableSinks(
  sinks: Iterable<NotificationSink>,
  parts: Known & { readonly caller: Caller },
): Promise<readonly NotificationSink[]> {
  const all = [...sinks];
  if (await mayReadWholeHistory(parts)) return all;
  const namespaces = await wholeNamespaces(parts);
  return all.filter(({ metadata: { namespace } }) => namespace !== parts.home && namespaces.has(namespace));
}

/** The namespaces with projects, all of which the caller may read. */
async function wholeNamespaces(parts: Known & { readonly caller: Caller }): Promise<ReadonlySet<string>> {
  const readable = new Set((await readableProjects(parts)).map(({ project }) => wireNameOf(project)));
  const projects = parts.catalog.projects();
  const namespaces = new Set(projects.map(({ metadata }) => metadata.namespace));
  for (const project of projects) {
    if (!readable.has(wireNameOf(project))) namespaces.delete(project.metadata.namespace);
  }
  return namespaces;
}
