/** The Events of the history in the cluster. */

import type { NewEntry } from '../../domain/history/entry.ts';
import { isClusterError, Refusal } from '../../errors.ts';
import { eventsPath, type NewEvent, publishEvent } from '../../kube/api/events.ts';
import { readPage } from '../../kube/api/page.ts';
import type { Transport } from '../../kube/api/transport.ts';
import { collectInTurns, nextTurn } from '../../runtime/turns.ts';
import { AUDIT_LABEL, AUDIT_LABEL_VALUE, entriesOfEvent, eventOf } from './event.ts';
import type { EventEntries } from './event-entries.ts';

export interface ClusterEventsParts {
  readonly transport: Transport;
  /** The operator's own namespace. */
  readonly home: string;
  /** The replica that reports it. */
  readonly instance: string;
  /** Called with the resourceVersion of each Event that was created. */
  readonly onCreated: (version: string) => void;
}

const PAGE_SIZE = 500;

/** Publishes the Event of entries, in the operator namespace if the namespace of the object accepts no new objects. */
export function eventPublisher({ transport, home, instance, onCreated }: ClusterEventsParts) {
  async function create(event: NewEvent, signal: AbortSignal): Promise<void> {
    const version = await publishEvent(transport, event, signal);
    if (version !== undefined) onCreated(version);
  }

  return async function publish(entries: EventEntries, signal: AbortSignal): Promise<void> {
    const event = madeOf(entries, instance);
    try {
      await create(event, signal);
    } catch (error) {
      const isClosed = isClusterError(error, 'forbidden', 'missing-permission', 'not-found');
      if (!isClosed || entries[0].namespace === home) throw error;
      await create(madeOf(entries, instance, home), signal);
    }
  };
}

/** Treats an Event that cannot be built as one that the API server rejects permanently. */
function madeOf(...[entries, instance, elsewhere]: Parameters<typeof eventOf>): NewEvent {
  try {
    return eventOf(entries, instance, elsewhere);
  } catch (cause) {
    throw new Refusal('invalid', `The Event of entry ${entries[0].id} cannot be made`, { cause });
  }
}

/**
 * Yields the entries in the Events of a namespace (undefined: of all), a page at a time; the API server keeps Events
 * for an hour.
 */
export async function* recordedByEvents(
  transport: Transport,
  namespace: string | undefined,
  signal: AbortSignal,
): AsyncIterable<readonly NewEntry[]> {
  let token: string | undefined;
  do {
    const query = { labelSelector: `${AUDIT_LABEL}=${AUDIT_LABEL_VALUE}`, limit: PAGE_SIZE, continue: token };
    const page = readPage(await transport.request({ method: 'GET', path: eventsPath(namespace), query, signal }));
    const found = await collectInTurns(Iterator.from(page.items).map(entriesOfEvent), nextTurn);
    yield found.flat();
    token = page.token;
  } while (token !== undefined);
}
