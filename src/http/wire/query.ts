/** Query parameters that several endpoints take. */
import { z } from 'zod';

/** A switch: `true` or `false`; absent: false. Anything else is refused rather than guessed at. */
export const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((text) => text === 'true');

/** A parameter that may stand any number of times. */
export const repeated = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()));

/** What every write takes. */
export const writeQuery = z.object({
  dryRun: flag.meta({ description: 'true: answer as if, and write nothing.' }),
});
