/** JSON Patch (RFC 6902) as the admin API accepts it: only on existing paths. */
import { isDeepStrictEqual } from 'node:util';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { shown } from '../../model/invalid-input.ts';
import { refuseDeep } from '../check-values.ts';

const { applyOperation, JsonPatchError, unescapePathComponent } = jsonPatch;

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
interface Budget {
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
  const budget: Budget = { copied: MAX_COPIED, shifted: MAX_SHIFTED };
  const patched = operations.reduce<object>((present, operation, index) => {
    try {
      return applyOne(present, operation, budget);
    } catch (error) {
      throw refusal({ operation, index, error });
    }
  }, structuredClone(document));
  refuseDeep(patched);
  return patched;
}

/**
 * `copy` and `move` are composed of `add` and `remove`: the library would clone the document for each of them. Values
 * of the patch are copied as well: they become part of the document, which later operations change.
 */
function applyOne(document: object, operation: PatchOperation, budget: Budget): object {
  if (reachesPrototype(operation)) throw new Error('it names a member that every object has');
  const { op, path } = operation;
  switch (op) {
    case 'remove':
      return step(document, { op, path }, budget).newDocument;
    case 'move': {
      if (path.startsWith(`${operation.from}/`)) throw new Error('it moves a value into itself');
      const { newDocument, removed } = step(document, { op: 'remove', path: operation.from }, budget);
      return step(newDocument, { op: 'add', path, value: removed }, budget).newDocument;
    }
    case 'copy': {
      const value = valueAt(document, operation.from);
      budget.copied -= sizeOf(value);
      if (budget.copied < 0) throw new Error(`the copies are larger than ${MAX_COPIED} characters`);
      return step(document, { op: 'add', path, value: structuredClone(value) }, budget).newDocument;
    }
    case 'test': {
      const value = valueAt(document, path);
      if (!isDeepStrictEqual(value, operation.value)) throw new Error(`the value is ${shown(value)}`);
      return document;
    }
    default:
      return step(document, { op, path, value: structuredClone(operation.value) }, budget).newDocument;
  }
}

function step(document: object, operation: Operation, budget: Budget) {
  refuseOddIndexes(document, operation.path);
  if (operation.op !== 'replace') budget.shifted -= entriesBehind(document, operation.path);
  if (budget.shifted < 0) throw new Error(`the operations shift more than ${MAX_SHIFTED} entries of lists`);
  return applyOperation(document, operation, refuseMissing);
}

/** Replaces the library's own check, which visits the whole value each time. `found` is how far the path leads. */
// biome-ignore lint/complexity/useMaxParams: the library calls it with these four
function refuseMissing({ op, path }: Operation, _index: number, _document: object, found: string): void {
  const parent = path.slice(0, path.lastIndexOf('/'));
  if (found !== path && (op !== 'add' || found !== parent)) throw new Error(`${shown(path)} is unresolvable`);
}

/** The library treats inherited members as present. */
function reachesPrototype(operation: PatchOperation): boolean {
  const pointers = 'from' in operation ? [operation.path, operation.from] : [operation.path];
  return pointers.some((path) => path.split('/').some((key) => key in Object.prototype));
}

/** An index without leading zeros (RFC 6901 §4), small enough for the library, which counts in 32 bits. */
const INDEX = /^(0|[1-9]\d{0,8})$/;

/** The library reads `01` as 1 and 4294967296 as 0. */
function refuseOddIndexes(document: object, path: string): void {
  let at: unknown = document;
  for (const key of keysOf(path)) {
    if (!isContainer(at)) return;
    if (Array.isArray(at) && key !== '-' && !INDEX.test(key)) throw new Error(`${shown(key)} is no index of a list`);
    at = Reflect.get(at, key);
  }
}

/** The number of list entries that move if an entry is added or removed. */
function entriesBehind(document: object, path: string): number {
  const keys = keysOf(path);
  const list = keys
    .slice(0, -1)
    .reduce<unknown>((at, key) => (isContainer(at) ? Reflect.get(at, key) : undefined), document);
  return Array.isArray(list) ? Math.max(0, list.length - Number(keys.at(-1) ?? 0)) || 0 : 0;
}

function keysOf(path: string): readonly string[] {
  return path.split('/').slice(1).map(unescapePathComponent);
}

function valueAt(document: object, path: string): unknown {
  refuseOddIndexes(document, path);
  const value = keysOf(path).reduce<unknown>(
    (at, key) => (isContainer(at) ? Reflect.get(at, key) : undefined),
    document,
  );
  if (value === undefined) throw new Error(`${shown(path)} is unresolvable`);
  return value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

interface Refused {
  readonly operation: PatchOperation;
  readonly index: number;
  readonly error: unknown;
}

function refusal({ operation, index, error }: Refused): Refusal {
  const why = error instanceof JsonPatchError ? inWords(error.name) : (error as Error).message;
  const message = `Could not apply provided patch: operation ${index}, ${shown(operation)}: ${why}.`;
  return new Refusal('invalid', message, { details: [{ part: 'body', keys: [`${index}`], message }], cause: error });
}

/** Turns `OPERATION_PATH_UNRESOLVABLE` into `operation path unresolvable`. */
function inWords(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}
