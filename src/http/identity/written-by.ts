/** A kind as one caller writes it: every write is asked for, as kubectl would be, and bears the name of its author. */
import { changeStamp, creationStamp, deletionStamp } from '../../domain/author.ts';
import type { SpecWrite } from '../../domain/environments-touched.ts';
import type { SpecChange } from '../../kube/change.ts';
import type { DeleteOptions } from '../../kube/deletion.ts';
import { type HeldField, refuseHeld } from '../../kube/held-fields.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Access } from '../../kube/reviews.ts';
import type { CustomObject, Ref } from '../../schema/object.ts';
import type { RequestDeadline } from '../request-deadline.ts';
import type { Taking } from '../taking.ts';
import type { Caller } from './caller.ts';
import { throwRefusals } from './require-permissions.ts';

export interface Writable<S, T> extends Omit<Resource<S, T>, 'applyStatus' | 'size' | 'synced' | 'whenSynced'> {
  /** Deletes what this very call has created: that needs no permission of its own, and is done also when the caller has gone. */
  takeBack(object: CustomObject<S, T>, options?: DeleteOptions<S, T>): Promise<void>;
  /** Throws, as a change of all its fields would, where others hold some of them and the caller may not take them. */
  takeWhole(object: CustomObject<S, T>): void;
}

/** What holds for one kind. */
export interface Rules<S, T> {
  /** What a write needs beside the right to write the object. */
  readonly alsoNeeds: (ref: Ref, write: SpecWrite<S>) => readonly Access[];
  /** Whether fields of this object that others hold are written without being asked; absent: never. */
  readonly takesOver?: (object: CustomObject<S, T>) => boolean;
  /** What a caller can do instead of taking them, in sentences. */
  readonly waysOut: (object: CustomObject<S, T>, held: readonly HeldField[]) => readonly string[];
}

export interface WriterParts<S, T> extends Rules<S, T> {
  readonly caller: Caller;
  readonly taking: Taking;
  readonly deadline: RequestDeadline;
  /** In ms since 1970. */
  readonly now: () => number;
}

export function writtenBy<S, T>(resource: Resource<S, T>, parts: WriterParts<S, T>): Writable<S, T> {
  const { caller, taking, deadline, alsoNeeds, takesOver = () => false, waysOut, now } = parts;
  const { author } = caller;
  const { plural } = resource.kind;
  // What else is needed is about names that the caller has written, or may read in what they may write.
  const admit = (access: Access, needed: readonly Access[] = []) =>
    throwRefusals([
      caller.refusalOfWrite(access),
      ...needed.map((one) => caller.refusalOfWrite(one, { object: one.name })),
    ]);
  const admitPatch = ({ namespace, name }: Ref, needed: readonly Access[]) =>
    admit({ verb: 'patch', resource: plural, namespace, name }, needed);
  const stampDeletion = () => deletionStamp(author, now());
  const take = (object: CustomObject<S, T>, held: readonly HeldField[]) => {
    if (!taking.isForced && !takesOver(object)) throw refuseHeld(object, held, waysOut(object, held));
    taking.note(held);
  };
  return {
    ...resource,
    async create(namespace, object, options) {
      const needed = alsoNeeds({ namespace, name: object.name }, { after: object.spec });
      await admit({ verb: 'create', resource: plural, namespace }, needed);
      const annotations = { ...object.annotations, ...creationStamp(author) };
      return deadline.begin((beforeSend) =>
        resource.create(namespace, { ...object, annotations }, { ...options, beforeSend }),
      );
    },
    change: (ref, edit, options) =>
      deadline.begin((beforeSend) =>
        resource.change(ref, edit, {
          ...options,
          stamp: ({ metadata }) => changeStamp(author, metadata),
          admit: ({ object: { metadata, spec }, next }: SpecChange<S, T>) =>
            admitPatch(metadata, alsoNeeds(metadata, { before: spec, after: next })),
          take,
          beforeSend,
        }),
      ),
    coOwn: (ref, choose, options) =>
      deadline.begin((beforeSend) =>
        resource.coOwn(ref, choose, {
          ...options,
          // As a new object with nothing but this part would need it.
          admit: ({ metadata }, part) => admitPatch(metadata, alsoNeeds(metadata, { after: part })),
          beforeSend,
        }),
      ),
    delete: (object, options) =>
      deadline.begin((beforeSend) =>
        resource.delete(object, {
          ...options,
          stamp: stampDeletion,
          admit: ({ metadata, spec }) => {
            const { namespace, name } = metadata;
            return admit({ verb: 'delete', resource: plural, namespace, name }, alsoNeeds(metadata, { before: spec }));
          },
          beforeSend,
        }),
      ),
    takeWhole(object) {
      const held = resource.heldIn(object);
      if (held.length > 0) take(object, held);
    },
    takeBack: (object, options) => resource.delete(object, { ...options, stamp: stampDeletion }),
  };
}
