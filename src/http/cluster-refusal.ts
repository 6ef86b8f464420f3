/** What the API server refuses of a change, told in the words of the body that asked for it. */
import { AppError, type ErrorDetail, isAppError } from '../errors.ts';
import { refusalOf } from '../kube/errors.ts';
import { about, invalid, shown } from './validation.ts';

export interface Asked {
  /** Keys from the spec down to the part that the body describes; undefined stands for any key. */
  readonly at: readonly (string | undefined)[];
  /** What the caller wants to stand there; asked only after a refusal. */
  readonly wanted: () => unknown;
}

/** Awaits a write; a refusal that names fields of the object names properties and values of the body instead. */
export async function inWordsOf<T>(asked: Asked, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isAppError(error, 'invalid') || !refusalOf(error) || error.details.length === 0) throw error;
    const { message, details } = invalid(error.details.map((detail) => translated(detail, asked)));
    throw new AppError('invalid', message, { details, cause: error.cause });
  }
}

function translated({ path = '', message }: ErrorDetail, { at, wanted }: Asked): ErrorDetail {
  const why = message.replace(/^Invalid value: /, '');
  const keys = path.replace(/\[([^\]]*)\]/g, '.$1').split('.');
  const place = ['spec', ...at].flatMap((key) => key?.split('.') ?? [undefined]);
  if (keys.length < place.length || place.some((key, depth) => key !== undefined && keys[depth] !== key)) {
    return path === '' ? { message } : { path, message: `The flag as a whole would not be valid: ${path}: ${why}.` };
  }
  const rest = keys.slice(place.length);
  return about('body', rest, `is not valid: ${why}. You sent ${shown(valueAt(wanted(), rest))}.`);
}

function valueAt(body: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    body,
  );
}
