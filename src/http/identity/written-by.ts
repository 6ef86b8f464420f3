/** A kind as one caller writes it: every write is asked for, as kubectl would be, and bears the name of its author. */
import { changeStamp, creationStamp, deletionStamp } from '../../domain/author.ts';
import type { SpecChange } from '../../kube/change.ts';
import type { DeleteOptions } from '../../kube/deletion.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Access } from '../../kube/reviews.ts';
import type { CustomObject } from '../../schema/object.ts';
import type { Caller } from './caller.ts';
import { throwRefusals } from './require-permissions.ts';

export interface Writable<S, T> extends Omit<Resource<S, T>, 'applyStatus' | 'size' | 'synced' | 'whenSynced'> {
  /** Deletes what this very call has created: that needs no permission of its own. */
  takeBack(object: CustomObject<S, T>, options?: DeleteOptions<S, T>): Promise<void>;
}

export interface WriterParts<S> {
  readonly caller: Caller;
  /** What a change of a spec needs beside the right to write the object; `before` is absent of a new one. */
  readonly alsoNeeds: (namespace: string, next: S, before: S | undefined) => readonly Access[];
  /** In ms since 1970. */
  readonly now: () => number;
}

export function writtenBy<S, T>(resource: Resource<S, T>, parts: WriterParts<S>): Writable<S, T> {
  const { caller, alsoNeeds, now } = parts;
  const { author } = caller;
  const { plural } = resource.kind;
  const admit = (accesses: readonly Access[]) => throwRefusals(accesses.map((one) => caller.refusalOfWrite(one)));
  const stampDeletion = () => deletionStamp(author, now());
  return {
    ...resource,
    async create(namespace, object, options) {
      await admit([{ verb: 'create', resource: plural, namespace }, ...alsoNeeds(namespace, object.spec, undefined)]);
      const annotations = { ...object.annotations, ...creationStamp(author) };
      return resource.create(namespace, { ...object, annotations }, options);
    },
    change: (ref, edit, options) =>
      resource.change(ref, edit, {
        ...options,
        stamp: ({ metadata }) => changeStamp(author, metadata),
        admit: async ({ object, next }: SpecChange<S, T>) => {
          const { namespace, name } = object.metadata;
          const patch = { verb: 'patch', resource: plural, namespace, name };
          await admit([patch, ...alsoNeeds(namespace, next, object.spec)]);
        },
      }),
    async delete(object, options) {
      const { namespace, name } = object.metadata;
      await admit([{ verb: 'delete', resource: plural, namespace, name }]);
      await resource.delete(object, { ...options, stamp: stampDeletion });
    },
    takeBack: (object, options) => resource.delete(object, { ...options, stamp: stampDeletion }),
  };
}
