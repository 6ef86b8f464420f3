/** Details of errors as text. */
import type { ErrorDetail, PropertyDetail } from '../errors.ts';

/** The place of a detail: a JSON Pointer into the request, a field of an object, or the name of a setting. */
export function detailPath(detail: ErrorDetail): string | undefined {
  if (!('part' in detail)) return detail.path;
  return ['', detail.part === 'document' ? 'body' : detail.part, ...detail.keys].join('/');
}

/** A sentence that names the place, the complaint and the value. */
export function detailMessage(detail: ErrorDetail): string {
  if (!('complaint' in detail)) return detail.message;
  const { complaint, value } = detail;
  return `${subjectOf(detail)} ${complaint}${value === undefined ? '' : ` You sent ${value}.`}`;
}

function subjectOf({ part, keys, of }: PropertyDetail): string {
  if (keys.length === 0) return `The ${part === 'document' ? 'body' : part}`;
  const whose = of === undefined ? '' : ` of ${of}`;
  return `The \`${part === 'document' ? indexed(keys) : keys.join('.')}\` property${whose}`;
}

/** A path in the form that people write: `features[0].name`. */
function indexed([first = '', ...rest]: readonly string[]): string {
  return first + rest.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('');
}
