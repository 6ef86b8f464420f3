/** The parts of an audit event: its place, and the content before and after. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEvent, Tag } from '../../domain/history/entry.ts';
import type { AuditEventType } from '../../domain/history/event-types.ts';
import type { JsonObject } from '../../model/json.ts';

export interface Place {
  /** Wire names. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly featureName: string | null;
  /** The tags of the flag. */
  readonly tags: readonly Tag[];
}

export const nowhere: Place = { project: null, environment: null, featureName: null, tags: [] };

export interface Matter {
  readonly data?: JsonObject;
  readonly preData?: JsonObject;
  readonly subject?: string;
}

export function auditEvent(
  type: AuditEventType,
  place: Place,
  { data, preData, subject = '' }: Matter = {},
): AuditEvent {
  return { type, ...place, data: data ?? null, preData: preData ?? null, subject };
}

/** An event whose data equals its preData is not recorded (docs/unleash-compatibility.md#event-order). */
export function isChange({ data, preData }: AuditEvent): boolean {
  return data === null || preData === null || !isDeepStrictEqual(data, preData);
}

/** Whether both are equal, apart from their values under this key. */
export function isSameBut(key: string, one: JsonObject, other: JsonObject): boolean {
  return isDeepStrictEqual({ ...one, [key]: null }, { ...other, [key]: null });
}
