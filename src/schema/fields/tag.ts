/** Tags of flags: a type and a value, stored as one text. */
import { z } from 'zod';

/** Maximum for one flag. */
export const MAX_TAGS = 100;

const TYPE = String.raw`[A-Za-z0-9\-_.!~*'()]{2,50}`;
/** The same characters as in RE2: code points, not code units, except the line feed. */
const VALUE = String.raw`[^\n]{2,50}`;

/** `type:value`; the first colon separates, because a type cannot contain one. */
export const tag = z
  .string()
  .max(101)
  .regex(new RegExp(`^${TYPE}:${VALUE}$`, 'u'));

export const tagType = z
  .string()
  .regex(new RegExp(`^${TYPE}$`, 'u'), { error: "must be 2 to 50 of the characters A-Z a-z 0-9 - _ . ! ~ * ' ( )" });

export const tagValue = z
  .string()
  .regex(new RegExp(`^${VALUE}$`, 'u'), { error: 'must be 2 to 50 characters in one line' });
