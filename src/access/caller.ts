/** A caller and its permissions. */
import type { Author } from '../domain/identity/author.ts';
import type { Access } from '../kube/api/reviews.ts';
import type { Person } from '../schema/change-request.ts';
import type { PermissionName } from '../schema/permission.ts';

/** The permission that a caller needs. `NONE`: authentication is enough. */
export type Permission = 'NONE' | PermissionName;

/** One operation to be authorized, for callers with Vexil's permissions and for Kubernetes users. */
export interface AccessRequest {
  readonly permission: Permission;
  /** Permissions each of which is enough instead. */
  readonly orAny?: readonly PermissionName[] | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  /** The body names the environments: each is authorized once the body is read. */
  readonly inSomeEnvironment?: boolean;
  /** The access that kubectl would need; all of it. */
  readonly accesses?: readonly Access[] | undefined;
  readonly sent?: Sent | undefined;
  /** Judges a user of Kubernetes as if in these groups only. */
  readonly inGroups?: readonly string[];
}

/**
 * The names of the request, for refusals. A refusal names nothing that was found, so that it is the same whether the
 * object exists or not.
 */
export interface Sent {
  readonly object?: string | undefined;
  /** For example: the project "shop". */
  readonly place?: string | undefined;
}

/** Who the caller is for decisions that take two people. */
export interface CallingPerson extends Omit<Person, 'kind'> {
  /** Token: a token that belongs to no user, so it could be anybody. */
  readonly kind: Person['kind'] | 'Token';
  /** The groups of a user of Kubernetes; others have none. */
  readonly groups: readonly string[];
}

export interface Caller {
  readonly author: Author;
  readonly person: CallingPerson;
  /**
   * Returns a sentence with the reason of the refusal; undefined if the access is allowed. Throws if the answer is not
   * available at the moment.
   */
  refusal(ask: AccessRequest): Promise<string | undefined>;
  /** As `refusal`, for access that depends on the content of a write. */
  refusalOfWrite(access: Access, sent?: Sent): Promise<string | undefined>;
}

/** The caller, as the author of changes in the console if the request comes from there. */
export function namingChannel(caller: Caller, { isFromConsole = false }: { readonly isFromConsole?: boolean }): Caller {
  return isFromConsole ? { ...caller, author: { ...caller.author, channel: 'console' } } : caller;
}

/** A caller who may do everything. */
export function anAdmin(author: Author): Caller {
  const person = { kind: 'Token', name: author.name, groups: [] } as const;
  return { author, person, refusal: async () => undefined, refusalOfWrite: async () => undefined };
}
