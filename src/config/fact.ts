/** A setting's schema together with its documentation. */

import type { z } from 'zod';

/** The documentation of one setting. */
export interface SettingFacts {
  readonly description: string;
  /** The form of allowed values, as the end of the sentence "allowed: …". */
  readonly allowed: string;
  /** The default in words; absent if the default itself is shown. */
  readonly defaultText?: string;
  readonly example: string;
  /** The value is never shown. */
  readonly secret?: boolean;
}

export function fact<Schema extends z.ZodType>(schema: Schema, facts: SettingFacts): Schema {
  return schema.meta({ ...facts });
}
