/** The times around changes at unknown times, on the wire. */
import { z } from 'zod';
import type { UncertainSpan } from '../../../errors.ts';
import { wireTime } from '../timestamp.ts';

export const wireSpan = z.object({ from: wireTime, until: wireTime });

export function presentSpan({ from, until }: UncertainSpan): z.infer<typeof wireSpan> {
  return { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
}
