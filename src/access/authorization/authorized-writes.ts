/** Writes of a kind on behalf of one caller: each is authorized as a write by kubectl, and stamped with its author. */

import type { SpecWrite } from '../../domain/flag/edit/environments-touched.ts';
import { changeStamp, creationStamp, deletionStamp } from '../../domain/identity/author.ts';
import type { FrozenEnvironment } from '../../errors.ts';
import type { Access } from '../../kube/api/reviews.ts';
import type { BeforeSend } from '../../kube/api/transport.ts';
import type { ChangeOptions, SpecChange } from '../../kube/write/change.ts';
import type { DeleteOptions } from '../../kube/write/deletion.ts';
import { type OwnedField, refuseOwned } from '../../kube/write/owned-fields.ts';
import type { Resource } from '../../kube/write/resource.ts';
import { timestampOf } from '../../model/clock.ts';
import type { CustomObject, Ref } from '../../model/object.ts';
import { bypassStamp, type FreezeBypass } from '../../schema/freeze.ts';
import { stampKeys } from '../../schema/stamp.ts';
import type { Caller } from '../caller.ts';
import type { ForceContext } from './force-context.ts';
import { throwRefusals } from './require-permissions.ts';

/** What callers do not do themselves is not there: statuses are written by the leader only. */
export interface Writable<S, T>
  extends Omit<Resource<S, T>, 'applyStatus' | 'patchStatus' | 'size' | 'synced' | 'whenSynced'> {
  /**
   * Deletes an object that this call has created. Needs no permission, and runs even if the caller has disconnected.
   */
  undoCreate(object: CustomObject<S, T>, options?: DeleteOptions<S, T>): Promise<void>;
  /** Throws as a change of all its fields would, if other managers own some and the caller may not take them. */
  takeWhole(object: CustomObject<S, T>): void;
}

/** The rules of one kind. */
export interface Rules<S, T> {
  /** The access that a write needs in addition to the write of the object. */
  readonly extraAccess: (ref: Ref, write: SpecWrite<S>) => readonly Access[];
  /**
   * Throws if a freeze or a missing approval refuses the write to this caller; returns the freezes that the caller
   * bypasses.
   */
  readonly refuse: (caller: Caller, write: SpecWrite<S>, ref: Ref) => Promise<readonly FrozenEnvironment[]>;
  /** Whether a write takes fields of this object that other managers own, without `force`; absent: never. */
  readonly takesOver?: (object: CustomObject<S, T>) => boolean;
  /** Sentences on what a caller can do instead. */
  readonly remediation: (object: CustomObject<S, T>, ownedFields: readonly OwnedField[]) => readonly string[];
}

export interface WriterParts<S, T> extends Rules<S, T> {
  readonly caller: Caller;
  readonly force: ForceContext;
  /** Why the caller makes the change; undefined if the caller does not say. */
  readonly reason: string | undefined;
  readonly deadline: RequestDeadline;
  /** In ms since 1970. */
  readonly now: () => number;
  /** The `traceparent` of the request; undefined if it is not traced. */
  readonly trace: () => string | undefined;
}

type Take<S, T> = NonNullable<ChangeOptions<S, T>['take']>;

export function writtenBy<S, T>(resource: Resource<S, T>, parts: WriterParts<S, T>): Writable<S, T> {
  const { caller, force, reason, deadline, takesOver = () => false, remediation, now, trace } = parts;
  const author = { ...caller.author, reason, trace: trace() };
  const { authorize, admit } = admission(parts, resource.kind.plural);
  const stampDeletion = () => deletionStamp(author, now());
  const takeByRequest: Take<S, T> = (object, ownedFields, sources) => {
    if (!force.isForced && !takesOver(object)) {
      throw refuseOwned(object, ownedFields, {
        remediation: remediation(object, ownedFields),
        sources: sources().map((source) => ({ ...source, reason })),
      });
    }
    force.note(ownedFields);
  };
  const { applyStatus: _, patchStatus: __, ...others } = resource;
  return {
    ...others,
    async create(namespace, object, options) {
      const bypass = await admit('create', { namespace, name: object.name }, { after: object.spec });
      const annotations = { ...object.annotations, ...creationStamp(author), ...(bypass && bypassStamp(bypass)) };
      return deadline.begin((beforeSend) =>
        resource.create(namespace, { ...object, annotations }, { ...options, beforeSend }),
      );
    },
    change(ref, edit, options) {
      let bypass: FreezeBypass | undefined;
      return deadline.begin((beforeSend) =>
        resource.change(ref, edit, {
          ...options,
          // The author is not the caller's to say.
          stamp: (object) => ({
            ...options?.stamp?.(object),
            ...changeStamp(author, object.metadata),
            // Otherwise removes the record of an earlier change.
            ...(bypass ? bypassStamp(bypass) : { [stampKeys.bypassing]: undefined }),
          }),
          async admit(change: SpecChange<S, T>) {
            await options?.admit?.(change);
            const { object, next } = change;
            const { metadata, spec } = object;
            bypass = await admit('patch', metadata, { before: spec, after: next });
          },
          take: options?.take ?? takeByRequest,
          beforeSend,
        }),
      );
    },
    claimFields: (ref, choose, options) =>
      deadline.begin((beforeSend) =>
        resource.claimFields(ref, choose, {
          ...options,
          // The part needs the same access as a new object that consists of it. It stays as it is.
          admit: ({ metadata }, part) => authorize('patch', metadata, { after: part }),
          beforeSend,
        }),
      ),
    delete: (object, options) =>
      deadline.begin((beforeSend) =>
        resource.delete(object, {
          ...options,
          stamp: stampDeletion,
          async admit({ metadata, spec }) {
            await admit('delete', metadata, { before: spec });
          },
          beforeSend,
        }),
      ),
    takeWhole(object) {
      const ownedFields = resource.ownedIn(object);
      if (ownedFields.length > 0) takeByRequest(object, ownedFields, () => []);
    },
    undoCreate: (object, options) => resource.delete(object, { ...options, stamp: stampDeletion }),
  };
}

function admission<S, T>({ caller, reason, extraAccess, refuse }: WriterParts<S, T>, resource: string) {
  const authorize = (verb: string, { namespace, name }: Ref, write: SpecWrite<S>) => {
    const access = { verb, resource, namespace, ...(verb !== 'create' && { name }) };
    // A refusal may name these objects: the caller has sent the names, or may read them in the object of the write.
    return throwRefusals([
      caller.refusalOfWrite(access),
      ...extraAccess({ namespace, name }, write).map((one) => caller.refusalOfWrite(one, { object: one.name })),
    ]);
  };
  return {
    authorize,
    /** Permission first: without it, a caller learns nothing about the state of the instance. */
    async admit(verb: string, ref: Ref, write: SpecWrite<S>): Promise<FreezeBypass | undefined> {
      await authorize(verb, ref, write);
      const bypassed = await refuse(caller, write, ref);
      if (bypassed.length === 0) return undefined;
      const freezes = bypassed.map(({ environment, name, until }) => ({
        environment,
        name,
        until: timestampOf(until),
      }));
      return { freezes, reason: reason ?? '' };
    },
  };
}

export interface RequestDeadline {
  /** Carries out one write, which awaits `beforeSend` immediately before each of its calls to the API server. */
  begin<R>(write: (beforeSend: BeforeSend) => Promise<R>): Promise<R>;
  /** Extends the deadline: an uploaded document is parsed and planned before its first write. */
  allowForUpload(): void;
}
