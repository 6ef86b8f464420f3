/** A change of an object in the stream of changes. */

interface WireChange {
  readonly kind: string;
  /** Null if the object belongs to no project. */
  readonly project: string | null;
  readonly name: string;
  readonly resourceVersion: string;
  readonly deleted: boolean;
}

interface ChangedResource extends Omit<WireChange, 'deleted'> {
  readonly isDeleted: boolean;
}

export function presentChange({ kind, project, name, resourceVersion, isDeleted }: ChangedResource): WireChange {
  return { kind, project, name, resourceVersion, deleted: isDeleted };
}
