/** Entries as a Kubernetes Event, and back. */
import { z } from 'zod';
import type { NewEntry } from '../../domain/history/entry.ts';
import { auditEventTypes } from '../../domain/history/event-types.ts';
import { maskJsonText } from '../../domain/history/masked-addresses.ts';
import { channels } from '../../domain/history/way.ts';
import { EVENT_CONTROLLER, eventNameOf, type NewEvent } from '../../kube/api/events.ts';
import { cutDeep } from '../../model/depth.ts';
import type { JsonObject } from '../../model/json.ts';
import { isRecord } from '../../model/json.ts';
import { GROUP } from '../../model/kind.ts';
import { kinds } from '../../schema/kinds.ts';
import { type EventEntries, MAX_EVENT_ENTRIES } from './event-entries.ts';
import { eventTextOf } from './event-note.ts';

/** Only Vexil writes Events with this label: config/admission/audit-events.yaml. */
export const AUDIT_LABEL = `${GROUP}/audit`;
export const AUDIT_LABEL_VALUE = '1';

/** The entry as JSON, or an array of several, with addresses masked; a lost archive is filled from it. */
const ENTRY = `${GROUP}/audit-entry`;

/** An object may have 256 KiB of annotations, but the cluster keeps an hour of Events in etcd. */
const MAX_ENTRY_CHARACTERS = 32 * 1024;

const kindNames: ReadonlyMap<string, string> = new Map(kinds.map(({ plural, kind }) => [plural, kind]));

/** Makes the Event, in the namespace of its object or in `elsewhere`, where it can refer to the object only by name. */
export function eventOf(entries: EventEntries, instance: string, elsewhere?: string): NewEvent {
  const [{ key, namespace, object, uid, toVersion, resource, createdAt }] = entries;
  const regarding = { kind: kindNames.get(resource) ?? resource, name: object };
  return {
    namespace: elsewhere ?? namespace,
    name: eventNameOf(object, key),
    labels: { [AUDIT_LABEL]: AUDIT_LABEL_VALUE },
    annotations: { [ENTRY]: payloadOf(entries) },
    at: createdAt,
    type: 'Normal',
    ...eventTextOf(entries),
    regarding: elsewhere
      ? { ...regarding, namespace: elsewhere }
      : { ...regarding, namespace, uid, resourceVersion: toVersion },
    instance,
  };
}

/**
 * The entries lose their content if they are too long together. Earlier versions read the Event of a single entry too.
 */
function payloadOf(entries: EventEntries): string {
  let left = MAX_ENTRY_CHARACTERS;
  const texts = entries.map(({ id: _, ip: __, witness: ___, ...entry }) => {
    const whole = maskJsonText(JSON.stringify(entry));
    if (whole.length > left) return maskJsonText(JSON.stringify({ ...entry, data: null, preData: null, tags: [] }));
    left -= whole.length;
    return whole;
  });
  return texts.length === 1 ? texts.join() : `[${texts.join()}]`;
}

const nullableText = z.string().max(1000).nullable();
const content = z
  .record(z.string(), z.json())
  .nullable()
  .transform((value) => value as JsonObject | null);

const payload = z.object({
  key: z.string().regex(/^[0-9a-f]{24}$/),
  createdAt: z.int().min(0),
  // Events of earlier versions do not have it.
  earliestAt: z.int().min(0).nullable().default(null),
  channel: z.enum(channels).nullable().default(null),
  fieldManager: nullableText.default(null),
  reason: nullableText.default(null),
  type: z.enum(auditEventTypes),
  project: nullableText,
  environment: nullableText,
  featureName: nullableText,
  data: content,
  preData: content,
  tags: z.array(z.object({ type: z.string(), value: z.string() })),
  subject: z.string(),
  createdBy: z.string(),
  createdByUserId: z.int(),
  resource: z.string(),
  namespace: z.string(),
  object: z.string(),
  uid: z.string(),
  fromVersion: z.string(),
  toVersion: z.string(),
  coalesced: z.boolean(),
});

const payloads = z.union([payload.transform((entry) => [entry]), z.array(payload).max(MAX_EVENT_ENTRIES)]);

/** Empty if the Event has no entries. */
export function entriesOfEvent(event: unknown): readonly NewEntry[] {
  const { metadata, reportingController } = isRecord(event) ? event : {};
  const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
  const text = isRecord(annotations) ? annotations[ENTRY] : undefined;
  if (reportingController !== EVENT_CONTROLLER || typeof text !== 'string') return [];
  const parsed = payloads.safeParse(readJson(text));
  return parsed.success ? parsed.data.map((entry) => ({ ...entry, ip: null, restored: true })) : [];
}

function readJson(text: string): unknown {
  try {
    return cutDeep(JSON.parse(text));
  } catch {
    return undefined;
  }
}
