/** Who wrote an object last, as its stamp says. */
import type { FieldOwner, ObjectMetadata } from '../schema/object.ts';
import { deletionKeys, stampKeys, type Via } from '../schema/stamp.ts';
import { compareText } from './names.ts';

export interface Author {
  readonly name: string;
  readonly via: Via;
  /** The address of the caller, if there is one. */
  readonly from?: string | undefined;
}

/** What of an object says who wrote it. */
export interface Authored {
  readonly metadata: Pick<ObjectMetadata, 'generation' | 'annotations'>;
  readonly owners: readonly FieldOwner[];
  readonly status?:
    | { readonly observedGeneration?: number | undefined; readonly changedBy?: string | undefined }
    | undefined;
}

/**
 * Who wrote the present spec. A stamp of another generation is of an earlier change: then, on a cluster without the
 * author policy, the field manager that wrote last stands in, as it was when this generation was judged first.
 */
export function lastAuthorOf({ metadata, owners, status }: Authored): string | undefined {
  const { generation, annotations = {} } = metadata;
  const author = annotations[stampKeys.by];
  if (author !== undefined && annotations[stampKeys.generation] === `${generation}`) return author;
  if (status?.observedGeneration === generation && status.changedBy !== undefined) return status.changedBy;
  const last = owners.reduce<FieldOwner | undefined>(
    (latest, one) => (compareText(latest?.time ?? '', one.time ?? '') <= 0 ? one : latest),
    undefined,
  );
  return last && `field manager ${last.manager}`;
}

type Annotations = Readonly<Record<string, string>>;

/** What goes with a change of the spec, which makes the next generation. */
export function changeStamp(author: Author, { generation }: Pick<ObjectMetadata, 'generation'>): Annotations {
  return stampOf(author, generation + 1);
}

/** What goes with a new object. */
export function creationStamp(author: Author): Annotations {
  return stampOf(author, 1);
}

/** `now` in ms since 1970. */
export function deletionStamp({ name, via, from }: Author, now: number): Annotations {
  const at = new Date(now).toISOString();
  return {
    [deletionKeys.by]: name,
    [deletionKeys.at]: at,
    [deletionKeys.via]: via,
    ...(from !== undefined && { [deletionKeys.from]: from }),
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
