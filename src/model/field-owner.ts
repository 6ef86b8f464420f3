/** The owners of the fields of an object: `metadata.managedFields`, grouped by field. */
import type { FieldOwner } from './object.ts';

/** Path elements, starting below the spec. */
export type FieldPath = readonly string[];

export interface ProtectableOwner extends Pick<FieldOwner, 'manager' | 'operation' | 'time'> {
  readonly isProtected: boolean;
}

export interface FieldWithOwners {
  readonly path: FieldPath;
  /** The formatted path, unique within the object. */
  readonly text: string;
  /** Sorted by name; empty: no manager owns the field. */
  readonly owners: readonly ProtectableOwner[];
}

/** The managers are `kubectl` for a server-side apply, `kubectl-edit` and so on for the other commands. */
export function isKubectl(manager: string): boolean {
  return manager === 'kubectl' || manager.startsWith('kubectl-');
}
