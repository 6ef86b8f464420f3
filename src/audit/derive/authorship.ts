/** The author of a step of an object, as far as the object names one. */

import type { AuditEvent } from '../../domain/history/entry.ts';
import { eventTypes } from '../../domain/history/event-types.ts';
import { type Authored, lastAuthorOf, stampedAuthorOf } from '../../domain/identity/author.ts';
import type { AnyObject, ObjectMetadata } from '../../model/object.ts';
import { deletionKeys, stampKeys } from '../../schema/stamp.ts';

export type Authorship =
  | {
      readonly by: 'author';
      readonly name: string;
      /** The API as the stamp names it (see `Via`); undefined: the API server. */
      readonly via: string | undefined;
      /** The address of a caller of the admin API. */
      readonly from: string | undefined;
      /** `console`, if the stamp says so. */
      readonly channel?: string | undefined;
      readonly reason?: string | undefined;
    }
  /** The object has no stamp: `name` is the field manager that wrote it. */
  | { readonly by: 'field-manager'; readonly name: string }
  | { readonly by: 'vexil' }
  | { readonly by: 'unknown' };

export interface AuthoredStep {
  readonly before?: AnyObject | undefined;
  /** The object after the step. Absent if the object was deleted: then `before` is its last state. */
  readonly after?: AnyObject | undefined;
  /**
   * The time up to which everything before a deletion was seen live, in ms since 1970: the object still existed then.
   */
  readonly seenSince: number;
}

/**
 * The longest time between the stamp of a deletion and the deletion, including differences of clocks: the API stamps
 * immediately before it deletes.
 */
const MAX_APART_MS = 30_000;

export function authorshipOf({ before, after, seenSince }: AuthoredStep): Authorship {
  if (!after) return before ? authorOfDeletion(before, seenSince) : { by: 'unknown' };
  const isOfStatus = before?.metadata.generation === after.metadata.generation;
  return isOfStatus ? { by: 'vexil' } : authorOfSpec(after);
}

/** Vexil is the author of an event that time alone causes, not the author of the other changes of the step. */
export function authorshipOfOne({ type }: Pick<AuditEvent, 'type'>, ofStep: Authorship): Authorship {
  return eventTypes[type].byTime ? { by: 'vexil' } : ofStep;
}

/** The author of the present state of the object. */
export function authorOfSpec(object: AnyObject): Authorship {
  const { annotations = {} } = object.metadata;
  const name = stampedAuthorOf(object.metadata);
  if (name !== undefined) return authorNamed(name, annotations, stampKeys);
  // Every status has the fields of `Authored`.
  const manager = lastAuthorOf({ ...object, status: object.status as Authored['status'] });
  return manager === undefined ? { by: 'unknown' } : { by: 'field-manager', name: manager };
}

function authorOfDeletion({ metadata }: AnyObject, seenSince: number): Authorship {
  const { annotations = {} } = metadata;
  const name = annotations[deletionKeys.by];
  if (name === undefined || !isStampBelieved(metadata, seenSince)) return { by: 'unknown' };
  return authorNamed(name, annotations, deletionKeys);
}

/** When an object was deleted, in ms since 1970; undefined: unknown. */
export function deletedAtOf(metadata: ObjectMetadata, seenSince: number): number | undefined {
  const { annotations = {}, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp);
  return isStampBelieved(metadata, seenSince) ? Date.parse(annotations[deletionKeys.at] ?? '') : undefined;
}

/** The stamp of a deletion that failed does not name the author of a later deletion. */
function isStampBelieved({ annotations = {}, deletionTimestamp }: ObjectMetadata, seenSince: number): boolean {
  const at = Date.parse(annotations[deletionKeys.at] ?? '');
  if (deletionTimestamp === undefined) return at >= seenSince - MAX_APART_MS;
  return Math.abs(at - Date.parse(deletionTimestamp)) <= MAX_APART_MS;
}

type Keys = Readonly<Record<'via' | 'from' | 'channel' | 'reason', string>>;

/** Empty texts count as absent. */
function authorNamed(name: string, annotations: Readonly<Record<string, string>>, keys: Keys): Authorship {
  const textOf = (key: string) => annotations[key] || undefined;
  const said = { channel: textOf(keys.channel), reason: textOf(keys.reason) };
  return { by: 'author', name, via: annotations[keys.via], from: textOf(keys.from), ...said };
}
