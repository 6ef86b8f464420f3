/**
 * What one request may override, and did: whether it may take fields, the fields it took, the parts its answer leaves
 * out.
 */
import type { AskedFor } from '../../domain/usage/removal.ts';
import type { OwnedField } from '../../kube/write/owned-fields.ts';

export interface ForceContext {
  /** The request has `force=true`. */
  readonly isForced: boolean;
  /** Why the caller makes the change; undefined if the caller does not say. */
  readonly reason: string | undefined;
  /** Paths that were taken, and the managers that owned them. */
  readonly taken: { readonly paths: ReadonlySet<string>; readonly managers: ReadonlySet<string> };
  /** Parts with defects, which are missing from the answer. */
  readonly leftOut: readonly string[];
  note(ownedFields: readonly OwnedField[]): void;
  leaveOut(parts: readonly string[]): void;
  /** Flags that were removed, and that production still asks for. */
  readonly asked: readonly AskedFor[];
  noteAsked(flags: readonly AskedFor[]): void;
  /** Parts of the request that are written in another way. */
  readonly repaired: readonly string[];
  noteRepaired(parts: readonly string[]): void;
  /** Parts of the request that may mean something else than where they come from. */
  readonly doubted: readonly string[];
  noteDoubted(parts: readonly string[]): void;
}

/** A request may write several objects, with a dry run of each: sets count a path once. */
export function createForceContext(isForced: boolean, reason?: string): ForceContext {
  const paths = new Set<string>();
  const managers = new Set<string>();
  const leftOut: string[] = [];
  const asked: AskedFor[] = [];
  const repaired: string[] = [];
  const doubted: string[] = [];
  return {
    isForced,
    reason,
    taken: { paths, managers },
    leftOut,
    asked,
    repaired,
    doubted,
    note(ownedFields) {
      for (const { path, owners } of ownedFields) {
        paths.add(path);
        for (const { manager } of owners) managers.add(manager);
      }
    },
    leaveOut(parts) {
      leftOut.push(...parts);
    },
    noteAsked(flags) {
      asked.push(...flags);
    },
    noteRepaired(parts) {
      for (const part of parts) repaired.push(part);
    },
    noteDoubted(parts) {
      for (const part of parts) doubted.push(part);
    },
  };
}
