/** Who wrote an object last, as its stamp says. */
import type { ObjectMetadata } from '../schema/object.ts';
import { deletionKeys, stampKeys, type Via } from '../schema/stamp.ts';

export interface Author {
  readonly name: string;
  readonly via: Via;
  /** The address of the caller, if there is one. */
  readonly from?: string | undefined;
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
