/** One row of the table of endpoints: a good call, what it needs, and what it writes. */
import { strategyIdOf } from '../../../src/domain/flag/strategy-id.ts';
import type { PermissionName } from '../../../src/schema/permission.ts';
import type { Properties } from './values.ts';

export type Scope = 'root' | 'project' | 'environment';
/** A permission of Vexil, with the scope in which it is needed. */
export type Need = readonly [PermissionName, Scope];

/** Every caller who is signed in may make the call. */
export const SIGNED_IN = 'signed in';

export const CREATES = 'there is nothing yet that could have a version';

/** A call that would change a field that a GitOps tool owns. */
export interface OwnedCall {
  readonly path: string;
  readonly body?: unknown;
  /** The name of the field in the answer. */
  readonly ownedField: string;
}

/** The names that a call uses. */
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
 * The parameters of the path are `shop`, `production`, `one`, a member of `shop`, the role Member, and a flag, a
 * strategy type and an API token of the endpoint's own, unless `values` has others.
 */
export interface Row {
  /**
   * The permission that the call needs, typed by hand: an expectation must not follow from what it tests. If absent,
   * api-tokens-permissions.test.ts and projects.test.ts test who may call.
   */
  readonly need?: Need | typeof SIGNED_IN;
  /** Permissions that the call needs too, in the same scope, in the order of refusals. */
  readonly alsoNeeds?: readonly PermissionName[];
  /**
   * What kubectl needs for the same change: `verb resource name`, see `namesIn`. Without a name, any name; EVERYWHERE,
   * any name in every namespace.
   */
  readonly kubectl?: readonly string[];
  /** A body that the endpoint accepts, see `namesIn`. If absent, the endpoint takes none. */
  readonly body?: unknown;
  /** Values of each property of the body. If absent, the body is a patch, or there is none. */
  readonly properties?: Properties;
  /** Whether a good call is refused (403) if its token belongs to no user. */
  readonly ofUsers?: true;
  /** Whether unknown properties are refused. Otherwise they are dropped. */
  readonly strict?: true;
  /** Whether the flag of the endpoint is in the archive. */
  readonly archived?: true;
  /**
   * Set if a good call finds nothing (404), because only reports of SDKs create what the call is about; or if it names
   * a time that no history knows (400), because one that is known cannot be written down.
   */
  readonly finds?: 'nothing' | 'no history';
  /** Why a good call is a dry run, if it could not be made a second time. */
  readonly dry?: string;
  readonly values?: Readonly<Record<string, string>>;
  /**
   * For an endpoint that writes: the reads whose ETags If-Match is compared with, first the one that shows the change.
   * `unversioned` is the reason why there are none.
   */
  readonly versions?: readonly string[];
  readonly unversioned?: string;
  /** The state after a good call, unless the call changes the object. */
  readonly outcome?: 'gone' | 'same';
  /**
   * For an endpoint that writes: a call that is refused because of the owner of the field. `unowned` is the reason why
   * there is none.
   */
  readonly owned?: OwnedCall;
  readonly unowned?: string;
}

/** The values of the names in capitals in `kubectl` and `body`. */
export function namesIn({ project, environment, flag, archived, parent }: Place): Readonly<Record<string, string>> {
  const SOURCE = environment === 'development' ? 'production' : 'development';
  return {
    ...{ PROJECT: project, ENVIRONMENT: environment, SOURCE },
    // The id of the strategy `one` of the flag.
    STRATEGY: strategyIdOf({ flag, environment, key: 'one' }),
    ...{ FLAG: flag, ARCHIVED: archived, PARENT: parent },
  };
}

/** The rows by their routes. */
export type Rows = Readonly<Record<string, Row>>;
