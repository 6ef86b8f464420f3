/** One row of the table of endpoints: what a good call is, what it needs, what it writes. */
import type { PermissionName } from '../../../src/schema/permission.ts';

export type Scope = 'root' | 'project' | 'environment';
/** A permission of Vexil, in the place that it is needed for. */
export type Need = readonly [PermissionName, Scope];

/** Of callers who are signed in nothing more is asked. */
export const SIGNED_IN = 'signed in';

/** A call that would change a field that a GitOps tool owns. */
export interface OwnedCall {
  readonly path: string;
  readonly body?: unknown;
  /** The field, as the answer names it. */
  readonly ownedField: string;
}

/**
 * Parameters stand for `shop`, a flag, a strategy type and an API token of the endpoint's own, `production`, `one`, a member of
 * `shop` and the role Member, unless `values` says otherwise.
 */
export interface Row {
  /**
   * Typed by hand: an expectation must not follow from what it tests. Absent: api-tokens-permissions.test.ts and projects.test.ts
   * say who may.
   */
  readonly need?: Need | typeof SIGNED_IN;
  /** What kubectl needs for the same: `verb resource name`; names in capitals are those of the place. No name: any. */
  readonly kubectl?: readonly string[];
  /** A body that is taken; absent: the endpoint takes none. */
  readonly body?: unknown;
  /** Whether its flag is in the archive. */
  readonly archived?: true;
  /** Why a good call is a dry run: it could not be made a second time. */
  readonly dry?: string;
  readonly values?: Readonly<Record<string, string>>;
  /** Of one that writes: a call that is refused because of the owner of the field, or why there is none. */
  readonly owned?: OwnedCall;
  readonly unowned?: string;
}

/** By their routes. */
export type Rows = Readonly<Record<string, Row>>;
