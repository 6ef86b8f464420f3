/** A setting's schema together with its documentation. */
import type { z } from 'zod';

/** What people read about one setting. */
export interface SettingFacts {
  readonly description: string;
  /** What a value must look like, as the end of the sentence "allowed: …". */
  readonly allowed: string;
  /** How the default is written for people; absent: the default itself. */
  readonly defaultText?: string;
  readonly example: string;
  /** The value is never shown. */
  readonly secret?: boolean;
}

export function fact<Schema extends z.ZodType>(schema: Schema, facts: SettingFacts): Schema {
  return schema.meta({ ...facts });
}
