/** Refuses a body that takes too much to read. */
import { Refusal } from '../../errors.ts';

export function bodyTooLarge(message: string, cause?: unknown): Refusal {
  return new Refusal('too-large', message, { details: [{ part: 'body', keys: [], message }], cause });
}
