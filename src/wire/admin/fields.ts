/** Types of fields that many shapes have. */
import { z } from 'zod';

/** A whole number from 0 on. */
export const wireNatural = z.int().min(0);
/** A whole number from 1 on. */
export const wirePositive = z.int().min(1);
export const wireNullableText = z.string().nullable();
