/** Maps entries to rows of their table and back. */
import type { Insertable, Selectable } from 'kysely';
import type { Entry, NewEntry } from '../../domain/history/entry.ts';
import { cutDeep } from '../../model/depth.ts';
import type { JsonObject } from '../../model/json.ts';
import { jsonTextOf } from './json-text.ts';
import type { EntriesTable } from './tables.ts';

/** The values of the column `publication`: the state of an entry's Event. */
export const publications = { waiting: 0, published: 1, refused: 2 } as const;

/** PostgreSQL cannot store the character 0 in texts, and neither database a lone surrogate. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

export function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

function jsonOrNull(content: JsonObject | null): string | null {
  return content === null ? null : jsonTextOf(content);
}

export function toRow(entry: NewEntry, publication: number) {
  return {
    key: entry.key,
    created_at: entry.createdAt,
    type: entry.type,
    project: storableOrNull(entry.project),
    environment: storableOrNull(entry.environment),
    feature_name: storableOrNull(entry.featureName),
    data: jsonOrNull(entry.data),
    pre_data: jsonOrNull(entry.preData),
    tags: jsonTextOf(entry.tags),
    subject: storable(entry.subject),
    created_by: storable(entry.createdBy),
    created_by_user_id: entry.createdByUserId,
    ip: storableOrNull(entry.ip),
    resource: entry.resource,
    namespace: entry.namespace,
    object: entry.object,
    uid: entry.uid,
    from_version: entry.fromVersion,
    to_version: entry.toVersion,
    coalesced: Number(entry.coalesced),
    restored: Number(entry.restored),
    earliest_at: entry.earliestAt,
    channel: entry.channel,
    field_manager: storableOrNull(entry.fieldManager),
    reason: storableOrNull(entry.reason),
    publication,
  } satisfies Insertable<EntriesTable>;
}

/** Earlier versions stored values nested deeper than `MAX_DEPTH`. */
function contentOf(json: string | null): JsonObject | null {
  return json === null ? null : cutDeep(JSON.parse(json));
}

/** The inverse of `toRow`. */
export function fromRow(row: Omit<Selectable<EntriesTable>, 'linked'>): Entry {
  return {
    id: row.id,
    key: row.key,
    createdAt: row.created_at,
    type: row.type as Entry['type'],
    project: row.project,
    environment: row.environment,
    featureName: row.feature_name,
    data: contentOf(row.data),
    preData: contentOf(row.pre_data),
    tags: JSON.parse(row.tags),
    subject: row.subject,
    createdBy: row.created_by,
    createdByUserId: row.created_by_user_id,
    ip: row.ip,
    resource: row.resource,
    namespace: row.namespace,
    object: row.object,
    uid: row.uid,
    fromVersion: row.from_version,
    toVersion: row.to_version,
    coalesced: row.coalesced === 1,
    restored: row.restored === 1,
    earliestAt: row.earliest_at,
    channel: row.channel as Entry['channel'],
    fieldManager: row.field_manager,
    reason: row.reason,
  };
}
