/** JSON Patch (RFC 6902) as the admin API takes it: without `test`, and never past what is there. */
import jsonPatch from 'fast-json-patch';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { shown } from '../validation.ts';

const { applyOperation, JsonPatchError, unescapePathComponent } = jsonPatch;

const MOST_OPERATIONS = 1000;

/** Characters of JSON that `copy` may add in all: unbounded, each one could double the document. */
const MOST_COPIED = 100_000;

/** RFC 6901, without the pointer to the whole document: a resource is never replaced by a patch. */
const pointer = z
  .string()
  .max(1000)
  .regex(/^(\/([^/~]|~[01])*)+$/, { error: 'must be a JSON Pointer to a part, such as /description' });

const operation = z.discriminatedUnion('op', [
  z.object({ op: z.enum(['add', 'replace']), path: pointer, value: z.json() }),
  z.object({ op: z.enum(['remove']), path: pointer }),
  z.object({ op: z.enum(['copy', 'move']), path: pointer, from: pointer }),
]);
export type PatchOperation = z.infer<typeof operation>;

export const patchBody = z
  .array(operation)
  .max(MOST_OPERATIONS)
  .meta({ description: 'JSON Patch operations, applied in order.' });

/** Whether the operation changes what the pointer names, or something in it. */
export function changes(operation: PatchOperation, part: string): boolean {
  const changed = operation.op === 'move' ? [operation.path, operation.from] : [operation.path];
  return changed.some((path) => path === part || path.startsWith(`${part}/`));
}

/** A copy of the document with the operations applied; one that cannot be applied refuses all of them. */
export function applyJsonPatch(document: object, operations: readonly PatchOperation[]): unknown {
  const copying = { left: MOST_COPIED };
  return operations.reduce<unknown>((present, operation, index) => {
    try {
      return applyOne(present, operation, copying);
    } catch (error) {
      throw refusal({ operation, index, error });
    }
  }, structuredClone(document));
}

/** The operation is copied as well: its value becomes part of the document, which later operations change. */
function applyOne(document: unknown, operation: PatchOperation, copying: { left: number }): unknown {
  if (reachesPrototype(operation)) throw new Error('it names a member that every object has');
  if (operation.op === 'copy') copying.left -= sizeOf(valueAt(document, operation.from));
  if (copying.left < 0) throw new Error(`the copies are larger than ${MOST_COPIED} characters`);
  return applyOperation(document, structuredClone(operation), true).newDocument;
}

/** The library looks at inherited members as if they were there. */
function reachesPrototype(operation: PatchOperation): boolean {
  const pointers = 'from' in operation ? [operation.path, operation.from] : [operation.path];
  return pointers.some((path) => path.split('/').some((key) => key in Object.prototype));
}

/** Undefined where there is nothing, which the library then refuses. */
function valueAt(document: unknown, path: string): unknown {
  const keys = path.split('/').slice(1).map(unescapePathComponent);
  return keys.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    document,
  );
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

interface Refused {
  readonly operation: PatchOperation;
  readonly index: number;
  readonly error: unknown;
}

function refusal({ operation, index, error }: Refused): AppError {
  const why = error instanceof JsonPatchError ? inWords(error.name) : (error as Error).message;
  const message = `Could not apply provided patch: operation ${index}, ${shown(operation)}: ${why}.`;
  return new AppError('invalid', message, { details: [{ path: `/body/${index}`, message }], cause: error });
}

/** `OPERATION_PATH_UNRESOLVABLE` as `operation path unresolvable`. */
function inWords(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}
