/**
 * The writes of a clone, some of them concurrent: each as a dry run, or for real. They stand in kinds, because
 * only the reconcile of a clone calls them.
 */

import {
  type ClonePlan,
  type CloneRequest,
  copyEnvironment,
  copyPermissions,
  listEnvironment,
  type RolePermission,
} from '../domain/environment/clone-environment.ts';
import { type Author, changeStamp } from '../domain/identity/author.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { TAKE_OVER, takesOver } from '../domain/project/takes-over.ts';
import { type ErrorCode, isClusterError, isKnownError, isRefusal, type KnownError } from '../errors.ts';
import type { ChangeOptions, Edit } from '../kube/write/change.ts';
import { type OwnedField, refuseOwned } from '../kube/write/owned-fields.ts';
import type { AnyObject, CustomObject, Ref } from '../model/object.ts';
import { runBounded } from '../runtime/run-bounded.ts';
import type { FlagSpec, FlagStatus } from '../schema/feature-flag.ts';
import type { Project, ProjectSpec, ProjectStatus } from '../schema/project.ts';

type WriteOptions<S, T> = Pick<ChangeOptions<S, T>, 'dryRun' | 'stamp' | 'take'>;

/** What a clone needs of a kind whose specs it writes. */
export interface Changeable<S, T> {
  change(ref: Ref, edit: Edit<S, T>, options: WriteOptions<S, T>): Promise<unknown>;
}

interface RoleSpec {
  readonly name?: string | undefined;
  readonly permissions?: readonly RolePermission[] | null | undefined;
}

/** The roles, in which permissions are bound to environments. */
export interface Roles extends Changeable<RoleSpec, unknown> {
  all(): Iterable<CustomObject<RoleSpec, unknown>>;
}

export interface Written {
  readonly flags: Changeable<FlagSpec, FlagStatus>;
  readonly projects: Changeable<ProjectSpec, ProjectStatus>;
  readonly roles: Roles;
}

export interface CloneWrite {
  /** A name of the object for messages. */
  readonly what: string;
  readonly uid: string;
  run(options: { readonly dryRun: boolean }): Promise<unknown>;
}

export interface CloneWrites {
  /** The writes that precede the first flag: without them, the new environment in a flag would be an error. */
  readonly contexts: readonly CloneWrite[];
  /** One write per flag. */
  readonly flags: readonly CloneWrite[];
}

interface CloneWork {
  readonly request: CloneRequest;
  readonly plan: ClonePlan;
  /** The author of the request. */
  readonly author: Author;
}

export function cloneWrites(kinds: Written, { request, plan, author }: CloneWork): CloneWrites {
  const stamp = ({ metadata }: Stamped) => changeStamp(author, metadata);
  const roles = request.permissions ? [...kinds.roles.all()] : [];
  const contexts = [
    ...plan.projects.map((project) =>
      writeOf('project', project, (options) =>
        kinds.projects.change(project.metadata, (one) => listEnvironment(one, request.to), { ...options, stamp, take }),
      ),
    ),
    ...roles
      .filter(({ spec }) => copyPermissions(spec, request) !== spec)
      .map((role) =>
        writeOf('role', role, (options) =>
          kinds.roles.change(role.metadata, ({ spec }) => copyPermissions(spec, request), { ...options, stamp }),
        ),
      ),
  ];
  const flags = plan.left.map((flag) =>
    writeOf('flag', flag, (options) =>
      kinds.flags.change(flag.metadata, (one) => copyEnvironment(one, request), { ...options, stamp }),
    ),
  );
  return { contexts, flags };
}

/** A request for a clone has no `force`, so only the project can permit writes to fields of other managers. */
function take(project: Project, ownedFields: readonly OwnedField[]): void {
  if (!takesOver(project)) throw refuseOwned(project, ownedFields, { remediation: [TAKE_OVER] });
}

type Stamped = AnyObject;
type NamedObject = CustomObject<{ readonly name?: string | undefined }, unknown>;

function writeOf(kind: string, object: NamedObject, run: CloneWrite['run']): CloneWrite {
  return { what: `${kind} "${wireNameOf(object)}"`, uid: object.metadata.uid, run };
}

const CONCURRENCY = 8;

export interface Refused {
  readonly message: string;
  /** Whether a retry is of no use: etcd does not store an object of that size. */
  readonly isFinal: boolean;
}

/**
 * Starts no more writes after `goOn` returns false or a write has failed. When all running ones have ended, returns the
 * refusals by uid.
 */
export async function runWrites(
  writes: readonly CloneWrite[],
  run: (write: CloneWrite) => Promise<unknown>,
  goOn: () => boolean,
): Promise<ReadonlyMap<string, Refused>> {
  const refusals = new Map<string, Refused>();
  await runBounded(writes, { concurrency: CONCURRENCY, goOn }, async (write) => {
    try {
      await run(write);
    } catch (error) {
      const isFinal = isClusterError(error, 'too-large');
      if (isRefused(error)) refusals.set(write.uid, { message: `${write.what}: ${error.message}`, isFinal });
      else if (!isOvertaken(error)) throw error;
    }
  });
  return refusals;
}

const refusing: ReadonlySet<ErrorCode> = new Set([
  'invalid',
  'forbidden',
  'missing-permission',
  'field-managed',
  'too-large',
]);

function isRefused(error: unknown): error is KnownError {
  return isKnownError(error) && refusing.has(error.code);
}

/** The object is gone, or others kept writing it: the next reconcile determines what is left to do. */
function isOvertaken(error: unknown): boolean {
  return isClusterError(error, 'not-found', 'conflict') || isRefusal(error, 'conflict');
}
