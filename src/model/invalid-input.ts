/** Errors about input: which part, which value and what to do. */
import { type ErrorDetail, Refusal } from '../errors.ts';
import { detailMessage } from './error-detail.ts';
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
export function shown(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing', MAX_VALUE_LENGTH);
}
