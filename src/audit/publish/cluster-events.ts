/** The Events of the history in the cluster. */

import type { Entry, NewEntry } from '../../domain/history/entry.ts';
import { isClusterError, Refusal } from '../../errors.ts';
import { eventsPath, type NewEvent, publishEvent } from '../../kube/api/events.ts';
import { readPage } from '../../kube/api/page.ts';
import type { Transport } from '../../kube/api/transport.ts';
import { AUDIT_LABEL, AUDIT_LABEL_VALUE, entryOfEvent, eventOf } from './event.ts';

export interface ClusterEventsParts {
  readonly transport: Transport;
  /** The operator's own namespace. */
  readonly home: string;
  /** The replica that reports it. */
  readonly instance: string;
}

const PAGE_SIZE = 500;

/** Publishes the Event of an entry; at home where its own namespace takes no new objects any more. */
export function eventPublisher({ transport, home, instance }: ClusterEventsParts) {
  return async function publish(entry: Entry, signal: AbortSignal): Promise<void> {
    const event = madeOf(entry, instance);
    try {
      await publishEvent(transport, event, signal);
    } catch (error) {
      const isClosed = isClusterError(error, 'forbidden', 'missing-permission', 'not-found');
      if (!isClosed || entry.namespace === home) throw error;
      await publishEvent(transport, madeOf(entry, instance, home), signal);
    }
  };
}

/** Whatever keeps an Event from being made will do so for ever: the same as an Event that the API server never takes. */
function madeOf(...[entry, instance, elsewhere]: Parameters<typeof eventOf>): NewEvent {
  try {
    return eventOf(entry, instance, elsewhere);
  } catch (cause) {
    throw new Refusal('invalid', `The Event of entry ${entry.id} cannot be made`, { cause });
  }
}

/** The entries in the Events of a namespace (undefined: of all), a page at a time; the API server keeps them for an hour. */
export async function* recordedByEvents(
  transport: Transport,
  namespace: string | undefined,
  signal: AbortSignal,
): AsyncIterable<readonly NewEntry[]> {
  let token: string | undefined;
  do {
    const query = { labelSelector: `${AUDIT_LABEL}=${AUDIT_LABEL_VALUE}`, limit: PAGE_SIZE, continue: token };
    const page = readPage(await transport.request({ method: 'GET', path: eventsPath(namespace), query, signal }));
    yield page.items.flatMap((event) => entryOfEvent(event) ?? []);
    token = page.token;
  } while (token !== undefined);
}
