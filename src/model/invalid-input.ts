/** Errors about input: which part, which value and what to do. */
import { type ErrorDetail, type PropertyDetail, Refusal } from '../errors.ts';
import { truncate } from './text.ts';

const MAX_VALUE_LENGTH = 100;
export const MAX_DETAILS = 20;

const preamble = 'Request validation failed: your request body or params contain invalid data';

/** The complaint about a property that must be there. */
export const MISSING = { complaint: 'is required. It was not present on the data you sent.' } as const;

/** The message names the property and the value (docs/unleash-compatibility.md#deviations). */
export function invalid(details: readonly ErrorDetail[]): Refusal {
  return new Refusal('invalid', `${preamble}: ${details.map(detailMessage).join(' ')}`, { details });
}

/** A value as JSON, shortened if it is long. */
export function quoteValue(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing', MAX_VALUE_LENGTH);
}

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
