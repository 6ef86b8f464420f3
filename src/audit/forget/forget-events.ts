/** Replaces the Events that name a forgotten person: what an Event is about cannot be changed. */
import type { Entry } from '../../domain/history/entry.ts';
import { deleteEvent, eventsPath, type NewEvent, publishEvent } from '../../kube/api/events.ts';
import { readPage } from '../../kube/api/page.ts';
import type { Transport } from '../../kube/api/transport.ts';
import { recordOf } from '../../model/json.ts';
import type { ForgettingArchive } from '../archive/forget/forgetting-archive.ts';
import { AUDIT_LABEL, AUDIT_LABEL_VALUE, entriesOfEvent, eventOf } from '../publish/event.ts';
import type { EventEntries } from '../publish/event-entries.ts';

export interface ForgetEventsParts {
  readonly transport: Transport;
  readonly archive: Pick<ForgettingArchive, 'entriesOf'>;
  /** The replica that reports the Events. */
  readonly instance: string;
}

export interface EventsPage {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly token: string | undefined;
  /** Whether an entry, as the archive has it now, is of the person. */
  readonly isOfPerson: (entry: Entry) => boolean;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}

const EVENTS_PER_PAGE = 200;

export async function forgetInEvents(
  { transport, archive, instance }: ForgetEventsParts,
  { namespace, token, isOfPerson, isDryRun, signal }: EventsPage,
): Promise<{ readonly next: string | undefined; readonly found: number }> {
  const query = { labelSelector: `${AUDIT_LABEL}=${AUDIT_LABEL_VALUE}`, limit: EVENTS_PER_PAGE, continue: token };
  const page = readPage(await transport.request({ method: 'GET', path: eventsPath(namespace), query, signal }));
  const events = page.items.map((event) => ({ event, keys: entriesOfEvent(event).map(({ key }) => key) }));
  const stored = await archive.entriesOf(events.flatMap(({ keys }) => keys));
  const byKey = new Map(stored.map((entry) => [entry.key, entry]));
  let found = 0;
  for (const { event, keys } of events) {
    const entries = keys.flatMap((key) => byKey.get(key) ?? []);
    if (!entries.some(isOfPerson)) continue;
    if (isDryRun) found += 1;
    else found += Number(await replaceEvent(event, entries));
  }
  return { next: page.token, found };

  /** Returns whether the Event was not as its entries are. */
  async function replaceEvent(event: unknown, entries: readonly Entry[]): Promise<boolean> {
    const { metadata } = recordOf(event);
    const { namespace: place, name } = recordOf(metadata);
    if (!areSome(entries) || typeof place !== 'string' || typeof name !== 'string') return false;
    const wanted = eventOf(entries, instance, place === entries[0].namespace ? undefined : place);
    if (isAs(wanted, event)) return false;
    await deleteEvent(transport, { namespace: place, name }, signal);
    await publishEvent(transport, wanted, signal);
    return true;
  }
}

function isAs(wanted: NewEvent, event: unknown): boolean {
  const { metadata, note, regarding } = recordOf(event);
  const annotations = recordOf(recordOf(metadata)['annotations']);
  const isOfSame = note === wanted.note && recordOf(regarding)['name'] === wanted.regarding.name;
  return isOfSame && Object.entries(wanted.annotations ?? {}).every(([key, value]) => annotations[key] === value);
}

function areSome(entries: readonly Entry[]): entries is EventEntries {
  return entries.length > 0;
}
