/** JSON Patch (RFC 6902) as the admin API takes it: without `test`, and never past what is there. */
import jsonPatch from 'fast-json-patch';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { shown } from '../validation.ts';

const { applyPatch, JsonPatchError } = jsonPatch;

const MOST_OPERATIONS = 1000;
const pointer = z.string().max(1000);

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

/** A copy of the document with the operations applied; one that cannot be applied refuses all of them. */
export function applyJsonPatch(document: object, operations: readonly PatchOperation[]): unknown {
  try {
    return applyPatch(document, [...operations], true, false, true).newDocument;
  } catch (error) {
    throw refusal(error, operations);
  }
}

function refusal(error: unknown, operations: readonly PatchOperation[]): AppError {
  const index = error instanceof JsonPatchError ? (error.index ?? 0) : operations.findIndex(touchesPrototype);
  const why = error instanceof JsonPatchError ? reasons(error.name) : 'it would change a prototype';
  const message = `Could not apply provided patch: operation ${index}, ${shown(operations[index])}: ${why}.`;
  return new AppError('invalid', message, { details: [{ path: `/body/${index}`, message }], cause: error });
}

function touchesPrototype({ path }: PatchOperation): boolean {
  return /\/(__proto__|constructor|prototype)(\/|$)/.test(path);
}

/** `OPERATION_PATH_UNRESOLVABLE` as `operation path unresolvable`. */
function reasons(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}
