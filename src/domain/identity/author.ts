/** The last author of an object, by its stamp. */
import type { FieldOwner, ObjectMetadata } from '../../model/object.ts';
import { deletionKeys, SPEC_MANAGER, stampKeys, type Via } from '../../schema/stamp.ts';
import { FIELD_MANAGER_PREFIX } from '../history/witness.ts';
import { compareText } from './names.ts';

export interface Author {
  readonly name: string;
  readonly via: Via;
  /** The address of the caller, if there is one. */
  readonly from?: string | undefined;
  /** Absent: the author did not use the console. */
  readonly channel?: 'console' | undefined;
}

/** An author with what the author says about a change. */
interface Reasoning extends Author {
  /** Why the author makes the change; undefined if the author does not say. */
  readonly reason?: string | undefined;
  /** The `traceparent` of the request; undefined if it is not traced. */
  readonly trace?: string | undefined;
}

type StampedMetadata = Pick<ObjectMetadata, 'generation' | 'annotations' | 'deletionTimestamp'>;

/** The parts of an object that name its author. */
export interface Authored {
  readonly metadata: StampedMetadata;
  readonly owners: readonly FieldOwner[];
  readonly status?:
    | { readonly observedGeneration?: number | undefined; readonly changedBy?: string | undefined }
    | undefined;
}

/**
 * The author of the present spec. A stamp of another generation belongs to an earlier change. On a cluster without the
 * author policy, the last field manager then takes the place of the author, as recorded when this generation was judged
 * first. The field manager of the API is skipped, because the API always stamps.
 */
export function lastAuthorOf({ metadata, owners, status }: Authored): string | undefined {
  const { generation } = metadata;
  const author = stampedAuthorOf(metadata);
  if (author !== undefined) return author;
  if (status?.observedGeneration === generation && status.changedBy !== undefined) return status.changedBy;
  const others = owners.filter(({ manager }) => manager !== SPEC_MANAGER);
  const latest = latestOf(others.length > 0 ? others : owners);
  return latest.length > 0 ? `${FIELD_MANAGER_PREFIX}${latest.join(' or ')}` : undefined;
}

/** The author in the stamp, if the stamp belongs to the present spec. */
export function stampedAuthorOf({ generation, annotations = {} }: StampedMetadata): string | undefined {
  return annotations[stampKeys.generation] === `${generation}` ? annotations[stampKeys.by] : undefined;
}

/** The `traceparent` of the request that made the present spec, if it was traced. */
export function stampedTraceOf({ generation, annotations = {} }: StampedMetadata): string | undefined {
  return annotations[stampKeys.generation] === `${generation}` ? annotations[stampKeys.trace] : undefined;
}

/** The author of the creation, or the last author if there is no stamp. */
export function creatorOf(object: Authored): string | undefined {
  return object.metadata.annotations?.[stampKeys.createdBy] ?? lastAuthorOf(object);
}

/**
 * The field managers that wrote the spec between two versions, without that of the API. A manager that writes a field
 * again within a second leaves no trace: then those that wrote last.
 */
export function writersBetween(before: readonly FieldOwner[], after: readonly FieldOwner[]): readonly string[] {
  const others = after.filter(({ manager }) => manager !== SPEC_MANAGER);
  const isKnown = ({ manager, operation, time, fields }: FieldOwner) =>
    before.some((one) => {
      return one.manager === manager && one.operation === operation && one.time === time && one.fields === fields;
    });
  const changed = others.filter((one) => !isKnown(one));
  return latestOf(changed.length > 0 ? changed : others);
}

/** Returns several managers if they wrote within the same second, as times are whole seconds. */
function latestOf(owners: readonly FieldOwner[]): readonly string[] {
  const last = owners
    .map(({ time = '' }) => time)
    .reduce((one, other) => (compareText(one, other) < 0 ? other : one), '');
  return [...new Set(owners.filter(({ time = '' }) => time === last).map(({ manager }) => manager))];
}

type StampAnnotations = Readonly<Record<string, string>>;

/**
 * The annotations of a change of the spec, which makes the next generation; undefined removes a key. The author of a
 * deletion that was requested and did not happen is removed, the author of a deletion in progress stays.
 */
export function changeStamp(
  author: Reasoning,
  { generation, annotations = {}, deletionTimestamp }: StampedMetadata,
): Readonly<Record<string, string | undefined>> {
  const past = deletionTimestamp === undefined ? Object.values(deletionKeys).filter((key) => key in annotations) : [];
  return { ...stampOf(author, generation + 1), ...Object.fromEntries(past.map((key) => [key, undefined])) };
}

/** The annotations of a new object. */
export function creationStamp(author: Reasoning): StampAnnotations {
  const stamp = Object.entries(stampOf(author, 1));
  const present = stamp.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return { [stampKeys.createdBy]: author.name, ...Object.fromEntries(present) };
}

/** The annotations of a deletion; `now` in ms since 1970. */
export function deletionStamp({ name, via, from, channel, reason }: Reasoning, now: number): StampAnnotations {
  const at = new Date(now).toISOString();
  return {
    [deletionKeys.by]: name,
    [deletionKeys.at]: at,
    [deletionKeys.via]: via,
    // Always written, so that the address of an earlier caller does not remain with this author's name.
    [deletionKeys.from]: from ?? '',
    [deletionKeys.channel]: channel ?? '',
    [deletionKeys.reason]: reason ?? '',
  };
}

/** The annotations of a removal by Vexil itself; `now` in ms since 1970. */
export function retentionStamp(reason: string, now: number): StampAnnotations {
  return deletionStamp({ name: 'vexil', via: 'retention', reason }, now);
}

/** Undefined removes what an earlier author has left. */
function stampOf({ name, via, from, channel, reason, trace }: Reasoning, generation: number) {
  return {
    [stampKeys.by]: name,
    [stampKeys.generation]: `${generation}`,
    [stampKeys.via]: via,
    // Always written, so that the address of an earlier caller does not remain with this author's name.
    [stampKeys.from]: from ?? '',
    [stampKeys.channel]: channel,
    [stampKeys.reason]: reason || undefined,
    [stampKeys.trace]: trace,
  };
}
