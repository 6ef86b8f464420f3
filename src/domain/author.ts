/** Who wrote an object last, as its stamp says. */
import type { FieldOwner, ObjectMetadata } from '../schema/object.ts';
import { deletionKeys, SPEC_MANAGER, stampKeys, type Via } from '../schema/stamp.ts';
import { compareText } from './names.ts';

export interface Author {
  readonly name: string;
  readonly via: Via;
  /** The address of the caller, if there is one. */
  readonly from?: string | undefined;
}

type Metadata = Pick<ObjectMetadata, 'generation' | 'annotations' | 'deletionTimestamp'>;

/** What of an object says who wrote it. */
export interface Authored {
  readonly metadata: Metadata;
  readonly owners: readonly FieldOwner[];
  readonly status?:
    | { readonly observedGeneration?: number | undefined; readonly changedBy?: string | undefined }
    | undefined;
}

/**
 * Who wrote the present spec. A stamp of another generation is of an earlier change: then, on a cluster without the
 * author policy, the field manager that wrote last stands in, as it was when this generation was judged first. It is
 * never that of the API, which always stamps.
 */
export function lastAuthorOf({ metadata, owners, status }: Authored): string | undefined {
  const { generation } = metadata;
  const author = stampedAuthorOf(metadata);
  if (author !== undefined) return author;
  if (status?.observedGeneration === generation && status.changedBy !== undefined) return status.changedBy;
  const others = owners.filter(({ manager }) => manager !== SPEC_MANAGER);
  const latest = latestOf(others.length > 0 ? others : owners);
  return latest.length > 0 ? `field manager ${latest.join(' or ')}` : undefined;
}

/** Whom the stamp names, if it is of the present spec. */
export function stampedAuthorOf({ generation, annotations = {} }: Metadata): string | undefined {
  return annotations[stampKeys.generation] === `${generation}` ? annotations[stampKeys.by] : undefined;
}

/** Who asked for the object to be there, whoever has changed it since; without a stamp whoever wrote it last. */
export function creatorOf(object: Authored): string | undefined {
  return object.metadata.annotations?.[stampKeys.createdBy] ?? lastAuthorOf(object);
}

/** Times are whole seconds, so there may be several: it was one of them. */
function latestOf(owners: readonly FieldOwner[]): readonly string[] {
  const last = owners
    .map(({ time = '' }) => time)
    .reduce((one, other) => (compareText(one, other) < 0 ? other : one), '');
  return [...new Set(owners.filter(({ time = '' }) => time === last).map(({ manager }) => manager))];
}

type Annotations = Readonly<Record<string, string>>;

/**
 * What goes with a change of the spec, which makes the next generation; undefined is taken away. A deletion that was asked
 * for and did not come to pass is of the past then; of one that is under way its author stays.
 */
export function changeStamp(
  author: Author,
  { generation, annotations = {}, deletionTimestamp }: Metadata,
): Readonly<Record<string, string | undefined>> {
  const past = deletionTimestamp === undefined ? Object.values(deletionKeys).filter((key) => key in annotations) : [];
  return { ...stampOf(author, generation + 1), ...Object.fromEntries(past.map((key) => [key, undefined])) };
}

/** What goes with a new object. */
export function creationStamp(author: Author): Annotations {
  return { [stampKeys.createdBy]: author.name, ...stampOf(author, 1) };
}

/** `now` in ms since 1970. */
export function deletionStamp({ name, via, from }: Author, now: number): Annotations {
  const at = new Date(now).toISOString();
  return {
    [deletionKeys.by]: name,
    [deletionKeys.at]: at,
    [deletionKeys.via]: via,
    // Always written, as with a change.
    [deletionKeys.from]: from ?? '',
  };
}

function stampOf({ name, via, from }: Author, generation: number): Annotations {
  return {
    [stampKeys.by]: name,
    [stampKeys.generation]: `${generation}`,
    [stampKeys.via]: via,
    // Always written, so that no earlier caller's address stays beside this author's name.
    [stampKeys.from]: from ?? '',
  };
}
