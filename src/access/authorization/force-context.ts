/** Whether one request may take fields of other managers, with the fields that it took. */
import type { OwnedField } from '../../kube/write/owned-fields.ts';

export interface ForceContext {
  /** The request has `force=true`. */
  readonly isForced: boolean;
  /** Paths that were taken, and the managers that owned them. */
  readonly taken: { readonly paths: ReadonlySet<string>; readonly managers: ReadonlySet<string> };
  note(ownedFields: readonly OwnedField[]): void;
}

/** A request may write several objects, with a dry run of each: sets count a path once. */
export function createForceContext(isForced: boolean): ForceContext {
  const paths = new Set<string>();
  const managers = new Set<string>();
  return {
    isForced,
    taken: { paths, managers },
    note(ownedFields) {
      for (const { path, owners } of ownedFields) {
        paths.add(path);
        for (const { manager } of owners) managers.add(manager);
      }
    },
  };
}
