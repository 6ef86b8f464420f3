/** Settings of long times, in hours or days. */

import { z } from 'zod';
import { DAY_MS } from '../model/clock.ts';

const hours = { h: 1, d: 24 } as const;
const minPeriod = 3_600_000;
const maxPeriod = 36_500 * DAY_MS;

/** The value of a time such as `400d`; the pattern has been checked. */
function inMs(text: string): number {
  return Number.parseInt(text, 10) * hours[text.slice(-1) as keyof typeof hours] * 3_600_000;
}

export const period = z
  .string()
  .regex(/^\d{1,9}[hd]$/)
  .transform(inMs)
  .pipe(z.number().min(minPeriod).max(maxPeriod));

export const ALLOWED_PERIODS = 'a whole number of hours or days from 1h to 36500d';
