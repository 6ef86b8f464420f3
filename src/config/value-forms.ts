/** Forms of values that several groups of settings have. */
import { z } from 'zod';

export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().max(65_535));

/** A file path. */
export const filePath = z.string().regex(/^[^\0]{1,4000}$/);
