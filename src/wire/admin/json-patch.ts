/** JSON Patch (RFC 6902) as the admin API accepts it: only on existing paths. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { quoteValue } from '../../model/invalid-input.ts';
import { refuseDeep } from '../check-values.ts';

const MAX_OPERATIONS = 1000;

/**
 * The number of JSON characters that all `copy` operations may add: without a limit, each one could double the
 * document.
 */
const MAX_COPIED = 100_000;

/**
 * The number of list entries that all operations may move: an operation at the start of a long list moves all of them.
 */
const MAX_SHIFTED = 1_000_000;

/** The remaining cost that the operations of one patch may have. */
interface PatchBudget {
  copied: number;
  shifted: number;
}

/** RFC 6901, without the pointer to the whole document: a resource is never replaced by a patch. */
const pointer = z
  .string()
  .max(1000)
  .regex(/^(\/([^/~]|~[01])*)+$/, { error: 'must be a JSON Pointer to a part, such as /description' });

const operation = z.discriminatedUnion('op', [
  z.object({ op: z.enum(['add', 'replace', 'test']), path: pointer, value: z.json() }),
  z.object({ op: z.enum(['remove']), path: pointer }),
  z.object({ op: z.enum(['copy', 'move']), path: pointer, from: pointer }),
]);
export type PatchOperation = z.infer<typeof operation>;

export const patchBody = z
  .array(operation)
  .max(MAX_OPERATIONS)
  .meta({
    id: 'JsonPatch',
    description: 'JSON Patch operations (RFC 6902), applied in order; all of them or none.',
    examples: [[{ op: 'replace', path: '/description', value: 'The new checkout on one page' }]],
  });

/** Whether the operation changes the part, or something in it. */
export function changes(operation: PatchOperation, part: string): boolean {
  if (operation.op === 'test') return false;
  const changed = operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
  return changed.some((path) => path === part || path.startsWith(`${part}/`));
}

/** A copy of the document with the operations applied; if one cannot be applied, all are refused. */
export function applyJsonPatch(document: object, operations: readonly PatchOperation[]): unknown {
  const budget: PatchBudget = { copied: MAX_COPIED, shifted: MAX_SHIFTED };
  const patched: unknown = structuredClone(document);
  for (const [index, operation] of operations.entries()) {
    try {
      applyOne(patched, operation, budget);
    } catch (cause) {
      const why = (cause as Error).message;
      const message = `Could not apply provided patch: operation ${index}, ${quoteValue(operation)}: ${why}.`;
      throw new Refusal('invalid', message, { details: [{ part: 'body', keys: [`${index}`], message }], cause });
    }
  }
  refuseDeep(patched);
  return patched;
}

/** Values of the patch are copied: they become part of the document, which later operations change. */
function applyOne(document: unknown, operation: PatchOperation, budget: PatchBudget): void {
  const { path } = operation;
  const at = (other: string) => placeOf(document, other);
  switch (operation.op) {
    case 'add':
      add(at(path), structuredClone(operation.value), budget);
      break;
    case 'remove':
      remove(at(path), budget);
      break;
    case 'move': {
      if (path.startsWith(`${operation.from}/`)) throw new Error('it moves a value into itself');
      const value = remove(at(operation.from), budget);
      add(at(path), value, budget);
      break;
    }
    case 'copy': {
      const value = valueAt(at(operation.from));
      budget.copied -= JSON.stringify(value).length;
      if (budget.copied < 0) throw new Error(`the copies are larger than ${MAX_COPIED} characters`);
      add(at(path), structuredClone(value), budget);
      break;
    }
    case 'replace':
      replace(at(path), structuredClone(operation.value));
      break;
    case 'test': {
      const value = valueAt(at(path));
      if (!isDeepStrictEqual(value, operation.value)) throw new Error(`the value is ${quoteValue(value)}`);
    }
  }
}

interface MemberPlace {
  readonly path: string;
  readonly parent: object;
  /** The last key of the path; the parent may not have it. */
  readonly key: string;
}

function placeOf(document: unknown, path: string): MemberPlace {
  const keys = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keys.some((key) => key in Object.prototype)) throw new Error('it names a member that every object has');
  const parent = keys.slice(0, -1).reduce(memberOf, document);
  if (typeof parent !== 'object' || parent === null) throw new Error(`${quoteValue(path)} is unresolvable`);
  return { path, parent, key: keys.at(-1) ?? '' };
}

/** An index has no leading zeros (RFC 6901 §4). */
const INDEX = /^(0|[1-9]\d*)$/;

function memberOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  return Array.isArray(parent) && !INDEX.test(key) ? undefined : Reflect.get(parent, key);
}

function valueAt({ path, parent, key }: MemberPlace): unknown {
  const value = memberOf(parent, key);
  if (value === undefined) throw new Error(`${quoteValue(path)} is unresolvable`);
  return value;
}

function add({ path, parent, key }: MemberPlace, value: unknown, budget: PatchBudget): void {
  if (!Array.isArray(parent)) return void Reflect.set(parent, key, value);
  const index = key === '-' ? parent.length : Number(key);
  if (key !== '-' && (!INDEX.test(key) || index > parent.length))
    throw new Error(`${quoteValue(path)} is unresolvable`);
  shift(parent.length - index, budget);
  parent.splice(index, 0, value);
}

function remove(place: MemberPlace, budget: PatchBudget): unknown {
  const { parent, key } = place;
  const value = valueAt(place);
  if (!Array.isArray(parent)) Reflect.deleteProperty(parent, key);
  else {
    shift(parent.length - Number(key), budget);
    parent.splice(Number(key), 1);
  }
  return value;
}

function replace(place: MemberPlace, value: unknown): void {
  valueAt(place);
  Reflect.set(place.parent, place.key, value);
}

function shift(entries: number, budget: PatchBudget): void {
  budget.shifted -= entries;
  if (budget.shifted < 0) throw new Error(`the operations shift more than ${MAX_SHIFTED} entries of lists`);
}
