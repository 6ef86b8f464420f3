/** What one thing is told with: where it happened, and what it was before and after. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, Tag, Told } from './entry.ts';
import type { AuditEventType } from './event-types.ts';

export interface Place {
  /** Wire names. */
  readonly project: string | null;
  readonly environment: string | null;
  readonly featureName: string | null;
  /** Those of the flag. */
  readonly tags: readonly Tag[];
}

export const nowhere: Place = { project: null, environment: null, featureName: null, tags: [] };

export interface Matter {
  readonly data?: JsonObject;
  readonly preData?: JsonObject;
  readonly subject?: string;
}

export function tell(type: AuditEventType, place: Place, { data, preData, subject = '' }: Matter = {}): Told {
  return { type, ...place, data: data ?? null, preData: preData ?? null, subject };
}

/** Facts §4.1: what is afterwards as it was before is not told. */
export function isNews({ data, preData }: Told): boolean {
  return data === null || preData === null || !isDeepStrictEqual(data, preData);
}

/** Whether both are the same, whatever they say under this key. */
export function isSameBut(key: string, one: JsonObject, other: JsonObject): boolean {
  return isDeepStrictEqual({ ...one, [key]: null }, { ...other, [key]: null });
}
