/** The recent changes of objects, numbered in their order. */
import { createListeners } from '../model/listeners.ts';
import type { ObjectMetadata } from '../model/object.ts';

export interface ChangedObject extends Pick<ObjectMetadata, 'namespace' | 'resourceVersion'> {
  readonly kind: string;
  /** The plural of the kind. */
  readonly resource: string;
  /** The name of the object. */
  readonly objectName: string;
  /** The id of its project; null: it belongs to none. */
  readonly project: string | null;
  /** The wire name. */
  readonly name: string;
  readonly isDeleted: boolean;
}

export interface ObjectChange extends ChangedObject {
  readonly number: number;
}

/** The maximum number of changes that are kept. */
const MAX_CHANGES = 1_000;

export interface ObjectLog {
  add(change: ChangedObject): void;
  /** Calls the listener after each change. */
  readonly onTouched: (listener: () => void) => void;
  /** The number of the last change, 0 before the first. */
  head(): number;
  /** Whether all changes after this one are still kept. */
  keeps(number: number): boolean;
  /** The last change of each object; undefined if not all changes are kept any more. */
  since(number: number): readonly ObjectChange[] | undefined;
  idOf(number: number): string;
  /** Undefined if the id does not belong to this process. */
  numberOf(id: string): number | undefined;
}

/** `idPrefix` is the prefix of all ids of this process, of letters and digits. Errors of listeners go to `onFault`. */
export function createObjectLog(idPrefix: string, onFault: (error: unknown) => void): ObjectLog {
  const changes: ObjectChange[] = [];
  const listeners = createListeners(onFault);
  const idPattern = new RegExp(`^${idPrefix}-(\\d{1,15})$`);
  let last = 0;
  const keeps = (number: number): boolean => number <= last && last - number <= changes.length;
  return {
    add(change: ChangedObject): void {
      last += 1;
      changes.push({ ...change, number: last });
      if (changes.length > MAX_CHANGES) changes.shift();
      listeners.call();
    },
    onTouched: listeners.add,
    head: (): number => last,
    keeps,
    since(number: number): readonly ObjectChange[] | undefined {
      if (!keeps(number)) return undefined;
      const net = new Map<string, ObjectChange>();
      for (const change of changes.slice(changes.length - (last - number))) {
        const key = `${change.resource}/${change.namespace}/${change.objectName}`;
        net.delete(key);
        net.set(key, change);
      }
      return [...net.values()];
    },
    idOf: (number: number): string => `${idPrefix}-${number}`,
    numberOf(id: string): number | undefined {
      const [, number] = idPattern.exec(id) ?? [];
      return number === undefined ? undefined : Number(number);
    },
  };
}
