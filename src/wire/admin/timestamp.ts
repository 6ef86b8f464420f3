/** Times as the admin API writes them. */
import { z } from 'zod';

/** ISO 8601 in UTC with milliseconds, from the form that the API server writes, or from ms since 1970. */
export function presentTime(timestamp: string | number): string {
  return new Date(timestamp).toISOString();
}

export function presentTimeOrNull(timestamp: string | number | undefined): string | null {
  return timestamp === undefined ? null : presentTime(timestamp);
}

export const wireTime = z.iso.datetime().meta({ examples: ['2026-03-01T09:30:00.000Z'] });
