/** Maps errors of the API server about fields of an object to properties of the body. */
import { type ErrorDetail, isClusterError, reworded } from '../../errors.ts';
import { type FieldError, fieldErrorsOf } from '../../kube/api/errors.ts';
import { invalid, quoteValue } from '../../model/invalid-input.ts';

export interface RejectedPermission {
  /** Keys from the spec down to the part that the body describes; undefined stands for any key. */
  readonly at: readonly (string | undefined)[];
  /** The value that the caller wants at this place; called only after a refusal. */
  readonly wanted: () => unknown;
}

/** Awaits a write; a refusal that names fields of the object names properties and values of the body instead. */
export async function mapApiServerErrors<T>(asked: RejectedPermission, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const fieldErrors = isClusterError(error, 'invalid') ? fieldErrorsOf(error) : [];
    if (!isClusterError(error) || fieldErrors.length === 0) throw error;
    const details = fieldErrors.map((one) => detailInBody(one, asked));
    throw reworded(error, invalid(details).message, details);
  }
}

function detailInBody({ field, keys, message, why }: FieldError, { at, wanted }: RejectedPermission): ErrorDetail {
  const place = ['spec', ...at].flatMap((key) => key?.split('.') ?? [undefined]);
  if (keys.length < place.length || place.some((key, depth) => key !== undefined && keys[depth] !== key)) {
    if (field === '') return { message };
    return { path: field, message: `The flag as a whole would not be valid: ${field}: ${why}.` };
  }
  const rest = keys.slice(place.length);
  return { part: 'body', keys: rest, complaint: `is not valid: ${why}.`, value: quoteValue(valueAt(wanted(), rest)) };
}

function valueAt(body: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    body,
  );
}
