/** Finds the owners of the fields that decided an evaluation, and their last changes. */
import { visibleTo } from '../../access/readable/visible-history.ts';
import type { Services } from '../../actions/services.ts';
import type { Entry, EntryFilter } from '../../domain/history/entry.ts';
import { lastChangeOf } from '../../domain/history/last-change.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import { isRefusal } from '../../errors.ts';
import { memberElement, textOf } from '../../kube/object/field-set.ts';
import type { FieldPath, FieldWithOwners, ProtectableOwner } from '../../model/field-owner.ts';
import { memo } from '../../model/memo.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import type { Segment } from '../../schema/segment.ts';
import { type DecidingField, decidingFieldsOf } from '../../wire/playground/deciding-fields.ts';
import type { ExplainedFlag } from '../../wire/playground/explained-flag.ts';
import { presentFieldOrigin, type WireFieldOrigin } from '../../wire/playground/field-origin.ts';
import type { ReadsSegment } from '../../wire/playground/why-words.ts';
import type { SearchableArchive } from './readable-history.ts';

/** The newest entries of a flag, or of all segments, among which the last change is looked for. */
const MAX_ENTRIES = 200;

export type FieldOrigins = (explained: ExplainedFlag) => Promise<WireFieldOrigin[]>;

interface SearchingServices extends Services {
  readonly history: SearchableArchive;
  /** The time of the flags, in ms since 1970; undefined: the present. */
  readonly asOf: number | undefined;
}

interface Parts {
  readonly readsSegment: ReadsSegment;
  readonly signal: AbortSignal;
}

/** For one request: the history is searched once for each flag, and once for all segments. */
export function createFieldOrigins(services: SearchingServices, { readsSegment, signal }: Parts): FieldOrigins {
  const { catalog } = services;
  const searchOnce = createSearches(services, signal);

  const ownersOfFlag = memo((flag: FeatureFlag, _: undefined) => services.flags.fieldsWithOwnersOf(flag));

  async function ofFlag(flag: FeatureFlag, { keys }: DecidingField): Promise<WireFieldOrigin> {
    const entries = await searchOnce({ features: [wireNameOf(flag)] });
    const fields = ownersOfFlag(flag, undefined);
    return present({ kind: 'FeatureFlag', object: flag, keys, entries, fields });
  }
  async function ofSegment(segment: Segment, { keys }: DecidingField): Promise<WireFieldOrigin> {
    const entries = await searchOnce({ types: ['segment-created', 'segment-updated'] });
    const fields = services.segments.fieldsWithOwnersOf(segment);
    return present({ kind: 'Segment', object: segment, keys, entries, fields });
  }
  async function of(flag: FeatureFlag, field: DecidingField): Promise<readonly WireFieldOrigin[]> {
    if (field.segment === undefined) return [await ofFlag(flag, field)];
    const segment = readsSegment(field.segment) ? catalog.segment(field.segment) : undefined;
    return segment ? [await ofSegment(segment, field)] : [];
  }
  return async (explained) => {
    const origins: WireFieldOrigin[] = [];
    for (const field of decidingFieldsOf(explained)) origins.push(...(await of(explained.flag, field)));
    return origins;
  };
}

type Search = (filter: EntryFilter) => Promise<readonly Entry[]>;

/** Searches once for each filter. After the history was unavailable once, it is not searched again. */
function createSearches(services: SearchingServices, signal: AbortSignal): Search {
  const known = new Map<string, readonly Entry[]>();
  let visible: ReturnType<typeof visibleTo> | undefined;
  let isAway = false;
  const search: Search = async (filter) => {
    visible ??= visibleTo(services);
    const page = { offset: 0, limit: MAX_ENTRIES, countUpTo: 0 };
    const until = services.asOf === undefined ? {} : { until: services.asOf + 1 };
    return (await services.history.search({ ...filter, ...until, ...(await visible) }, page, signal)).entries;
  };
  const orNone: Search = (filter) =>
    search(filter).catch((error: unknown) => {
      if (!isRefusal(error, 'unavailable') && !isRefusal(error, 'busy')) throw error;
      isAway = true;
      return [];
    });
  return async (filter) => {
    const key = JSON.stringify(filter);
    const entries = known.get(key) ?? (isAway ? [] : await orNone(filter));
    known.set(key, entries);
    return entries;
  };
}

interface FoundObject {
  readonly kind: WireFieldOrigin['kind'];
  readonly object: FeatureFlag | Segment;
  readonly keys: readonly string[];
  /** Entries, including those of other objects. */
  readonly entries: readonly Entry[];
  readonly fields: readonly FieldWithOwners[];
}

function present({ kind, object, keys, entries, fields }: FoundObject): WireFieldOrigin {
  const { metadata } = object;
  const path = keys.map(memberElement);
  const own = entries.filter(({ uid }) => uid === metadata.uid);
  return presentFieldOrigin({
    kind,
    object: metadata,
    path: textOf(path),
    owners: ownersOf(path, fields),
    lastChange: lastChangeOf(keys, own),
  });
}

/** The owners of the field, of the fields that contain it and of the fields in it. */
function ownersOf(path: FieldPath, fields: readonly FieldWithOwners[]): readonly ProtectableOwner[] {
  const near = fields.filter((field) => isPrefix(field.path, path) || isPrefix(path, field.path));
  const owners = near.flatMap((field) => field.owners);
  return [...new Map(owners.map((owner) => [`${owner.manager} ${owner.operation}`, owner])).values()];
}

function isPrefix(one: FieldPath, other: FieldPath): boolean {
  return one.length <= other.length && one.every((element, index) => element === other[index]);
}
