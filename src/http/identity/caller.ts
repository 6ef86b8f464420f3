/** Who calls, and what they may do. */
import type { Author } from '../../domain/author.ts';
import type { Access } from '../../kube/reviews.ts';
import type { PermissionName } from '../../schema/permission.ts';

/** What a caller must be allowed to; NONE: to be signed in. */
export type Permission = 'NONE' | PermissionName;

/** One thing that is about to be done, in the words of both kinds of callers. */
export interface Ask {
  readonly permission: Permission;
  /** Permissions each of which will do in its place. */
  readonly orAny?: readonly PermissionName[] | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  /** Which ones, the body will say: each is asked for then. */
  readonly inSomeEnvironment?: boolean;
  /** What kubectl would need for it: all of them. */
  readonly accesses?: readonly Access[] | undefined;
  readonly sent?: Sent | undefined;
}

/**
 * How a refusal names what was asked for: in the words of the request. What was found, and where, is not told to a caller
 * who may not read it: a refusal is the same whether it exists or not.
 */
export interface Sent {
  readonly object?: string | undefined;
  /** Such as: the project "shop". */
  readonly place?: string | undefined;
}

export interface Caller {
  readonly author: Author;
  /** Undefined: it is allowed; else why it is not, as a sentence. Throws when nobody can say at the moment. */
  refusal(ask: Ask): Promise<string | undefined>;
  /** As `refusal`, of what a write turns out to do beyond what its endpoint says. */
  refusalOfWrite(access: Access, sent?: Sent): Promise<string | undefined>;
}

/** Someone who may do everything. */
export function anAdmin(author: Author): Caller {
  return { author, refusal: async () => undefined, refusalOfWrite: async () => undefined };
}
