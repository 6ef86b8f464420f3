/** Times as the admin API writes them. */
import { z } from 'zod';

/** ISO 8601 in UTC with milliseconds, from the form that the API server writes. */
export function presentTime(timestamp: string): string {
  return new Date(timestamp).toISOString();
}

export const wireTime = z.iso.datetime().meta({ examples: ['2026-03-01T09:30:00.000Z'] });
