/** One row of the table of endpoints: what a good call is, what it needs, what it writes. */
import type { PermissionName } from '../../../src/schema/permission.ts';
import type { Properties } from './values.ts';

export type Scope = 'root' | 'project' | 'environment';
/** A permission of Vexil, in the place that it is needed for. */
export type Need = readonly [PermissionName, Scope];

/** Of callers who are signed in nothing more is asked. */
export const SIGNED_IN = 'signed in';

export const CREATES = 'there is nothing yet that could have a version';

/** A call that would change a field that a GitOps tool owns. */
export interface OwnedCall {
  readonly path: string;
  readonly body?: unknown;
  /** The field, as the answer names it. */
  readonly ownedField: string;
}

/** Where a call is made. */
export interface Place {
  readonly project: string;
  readonly environment: string;
  readonly flag: string;
  /** A flag of the project in the archive. */
  readonly archived: string;
  /** A flag of the project that the flag may depend on. */
  readonly parent: string;
}

/**
 * Parameters stand for `shop`, a flag, a strategy type and an API token of the endpoint's own, `production`, `one`, a
 * member of `shop` and the role Member, unless `values` says otherwise.
 */
export interface Row {
  /**
   * Typed by hand: an expectation must not follow from what it tests. Absent: api-tokens-permissions.test.ts and
   * projects.test.ts say who may.
   */
  readonly need?: Need | typeof SIGNED_IN;
  /** What kubectl needs for the same: `verb resource name`, see `namesIn`. No name: any. */
  readonly kubectl?: readonly string[];
  /** A body that is taken, see `namesIn`; absent: the endpoint takes none. */
  readonly body?: unknown;
  /** Values of each property of the body; absent: the body is a patch, or there is none. */
  readonly properties?: Properties;
  /** Whether unknown properties are refused; else they are dropped. */
  readonly strict?: true;
  /** Whether its flag is in the archive. */
  readonly archived?: true;
  /** A good call finds nothing: what it is about is no object, and only reports of SDKs make it. */
  readonly finds?: 'nothing';
  /** Why a good call is a dry run: it could not be made a second time. */
  readonly dry?: string;
  readonly values?: Readonly<Record<string, string>>;
  /**
   * Of one that writes: the reads whose ETags If-Match is compared with, the first showing what changes; or why it is
   * compared with none.
   */
  readonly versions?: readonly string[];
  readonly unversioned?: string;
  /** What a good call makes of what it is about, unless it changes it. */
  readonly outcome?: 'gone' | 'same';
  /** Of one that writes: a call that is refused because of the owner of the field, or why there is none. */
  readonly owned?: OwnedCall;
  readonly unowned?: string;
}

/** What names in capitals in `kubectl` and `body` stand for. */
export function namesIn({ project, environment, flag, archived, parent }: Place): Readonly<Record<string, string>> {
  return { PROJECT: project, ENVIRONMENT: environment, FLAG: flag, ARCHIVED: archived, PARENT: parent };
}

/** By their routes. */
export type Rows = Readonly<Record<string, Row>>;
